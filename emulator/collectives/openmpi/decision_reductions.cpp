#include <array>

#include "emulator/collectives/openmpi/algorithms.h"
#include "emulator/collectives/openmpi/decision_table.h"

// Decision functions of reductions: thresholds of coll_tuned_decision_fixed.c, Open MPI 4.1.4. "Ordered" are
// operations that don't commute.
namespace morgana::collectives::openmpi {
namespace {

constexpr std::array<DecisionRow, 34> reduces{{
    {4, 8, reduce_rabenseifner},
    {4, 16, reduce_binary},
    {4, 32, reduce_pipeline},
    {4, 262144, reduce_linear},
    {4, 524288, reduce_pipeline},
    {4, 1048576, reduce_chain},
    {4, any, reduce_pipeline},
    {8, 4096, reduce_binary},
    {8, 65536, reduce_chain},
    {8, 262144, reduce_binomial},
    {8, 524288, reduce_linear},
    {8, 1048576, reduce_binomial},
    {8, any, reduce_linear},
    {16, 8192, reduce_binary},
    {16, any, reduce_binomial},
    {32, 4096, reduce_binary},
    {32, any, reduce_binomial},
    {256, any, reduce_binomial},
    {512, 8192, reduce_binomial},
    {512, 16384, reduce_in_order_binary},
    {512, any, reduce_binomial},
    {2048, any, reduce_binomial},
    {4096, 512, reduce_binomial},
    {4096, 1024, reduce_in_order_binary},
    {4096, 8192, reduce_binomial},
    {4096, 16384, reduce_in_order_binary},
    {4096, any, reduce_binomial},
    {any, 16, reduce_binomial},
    {any, 32, reduce_in_order_binary},
    {any, 1024, reduce_binomial},
    {any, 2048, reduce_in_order_binary},
    {any, 8192, reduce_binomial},
    {any, 16384, reduce_in_order_binary},
    {any, any, reduce_binomial},
}};

constexpr std::array<DecisionRow, 13> ordered_reduces{{
    {4, 8, reduce_in_order_binary},
    {4, any, reduce_linear},
    {8, any, reduce_linear},
    {16, 1024, reduce_in_order_binary},
    {16, 8192, reduce_linear},
    {16, 16384, reduce_in_order_binary},
    {16, 262144, reduce_linear},
    {16, any, reduce_in_order_binary},
    {128, any, reduce_in_order_binary},
    {256, 512, reduce_in_order_binary},
    {256, 1024, reduce_linear},
    {256, any, reduce_in_order_binary},
    {any, any, reduce_in_order_binary},
}};

constexpr std::array<DecisionRow, 35> allreduces{{
    {4, 8, allreduce_ring},
    {4, 4096, allreduce_recursive_doubling},
    {4, 8192, allreduce_ring},
    {4, 16384, allreduce_recursive_doubling},
    {4, 65536, allreduce_ring},
    {4, 262144, allreduce_segmented_ring},
    {4, any, allreduce_rabenseifner},
    {8, 16, allreduce_ring},
    {8, 8192, allreduce_recursive_doubling},
    {8, any, allreduce_rabenseifner},
    {16, 8192, allreduce_recursive_doubling},
    {16, any, allreduce_rabenseifner},
    {32, 64, allreduce_segmented_ring},
    {32, 4096, allreduce_recursive_doubling},
    {32, any, allreduce_rabenseifner},
    {64, 128, allreduce_segmented_ring},
    {64, any, allreduce_rabenseifner},
    {128, 262144, allreduce_recursive_doubling},
    {128, any, allreduce_rabenseifner},
    {256, 131072, allreduce_nonoverlapping},
    {256, 262144, allreduce_recursive_doubling},
    {256, any, allreduce_rabenseifner},
    {512, 4096, allreduce_nonoverlapping},
    {512, any, allreduce_rabenseifner},
    {2048, 2048, allreduce_nonoverlapping},
    {2048, 16384, allreduce_recursive_doubling},
    {2048, any, allreduce_rabenseifner},
    {4096, 2048, allreduce_nonoverlapping},
    {4096, 4096, allreduce_segmented_ring},
    {4096, 16384, allreduce_recursive_doubling},
    {4096, any, allreduce_rabenseifner},
    {any, 2048, allreduce_nonoverlapping},
    {any, 16384, allreduce_segmented_ring},
    {any, 32768, allreduce_recursive_doubling},
    {any, any, allreduce_rabenseifner},
}};

constexpr std::array<DecisionRow, 14> ordered_allreduces{{
    {4, 131072, allreduce_recursive_doubling},
    {4, any, allreduce_linear},
    {8, any, allreduce_recursive_doubling},
    {16, 1048576, allreduce_recursive_doubling},
    {16, any, allreduce_nonoverlapping},
    {128, any, allreduce_recursive_doubling},
    {256, 131072, allreduce_nonoverlapping},
    {256, 524288, allreduce_recursive_doubling},
    {256, any, allreduce_nonoverlapping},
    {512, 4096, allreduce_nonoverlapping},
    {512, 524288, allreduce_recursive_doubling},
    {512, any, allreduce_nonoverlapping},
    {any, 2048, allreduce_nonoverlapping},
    {any, any, allreduce_recursive_doubling},
}};

constexpr std::array<DecisionRow, 39> reduce_scatters{{
    {4, 65536, reduce_scatter_ring},
    {4, 131072, reduce_scatter_butterfly},
    {4, any, reduce_scatter_ring},
    {8, 8, reduce_scatter_nonoverlapping},
    {8, 262144, collectives::reduce_scatter_recursive_halving},
    {8, any, reduce_scatter_ring},
    {32, 262144, collectives::reduce_scatter_recursive_halving},
    {32, any, reduce_scatter_ring},
    {64, 64, reduce_scatter_nonoverlapping},
    {64, 2048, collectives::reduce_scatter_recursive_halving},
    {64, 524288, reduce_scatter_butterfly},
    {64, any, reduce_scatter_ring},
    {128, 256, reduce_scatter_nonoverlapping},
    {128, 512, collectives::reduce_scatter_recursive_halving},
    {128, 2048, reduce_scatter_butterfly},
    {128, 4096, collectives::reduce_scatter_recursive_halving},
    {128, any, reduce_scatter_butterfly},
    {256, 256, reduce_scatter_nonoverlapping},
    {256, 512, collectives::reduce_scatter_recursive_halving},
    {256, any, reduce_scatter_butterfly},
    {512, 256, reduce_scatter_nonoverlapping},
    {512, 1024, collectives::reduce_scatter_recursive_halving},
    {512, any, reduce_scatter_butterfly},
    {1024, 512, reduce_scatter_nonoverlapping},
    {1024, 2048, collectives::reduce_scatter_recursive_halving},
    {1024, 8192, reduce_scatter_butterfly},
    {1024, 16384, collectives::reduce_scatter_recursive_halving},
    {1024, any, reduce_scatter_butterfly},
    {2048, 512, reduce_scatter_nonoverlapping},
    {2048, 4096, collectives::reduce_scatter_recursive_halving},
    {2048, 16384, reduce_scatter_butterfly},
    {2048, 32768, collectives::reduce_scatter_recursive_halving},
    {2048, any, reduce_scatter_butterfly},
    {4096, 512, reduce_scatter_nonoverlapping},
    {4096, 4096, collectives::reduce_scatter_recursive_halving},
    {4096, any, reduce_scatter_butterfly},
    {any, 1024, reduce_scatter_nonoverlapping},
    {any, 8192, collectives::reduce_scatter_recursive_halving},
    {any, any, reduce_scatter_butterfly},
}};

constexpr std::array<DecisionRow, 1> ordered_reduce_scatters{{
    {any, any, reduce_scatter_nonoverlapping},
}};

constexpr std::array<DecisionRow, 32> reduce_scatter_blocks{{
    {4, 4, collectives::reduce_scatter_recursive_doubling},
    {4, 8, reduce_scatter_butterfly},
    {4, 16, collectives::reduce_scatter_recursive_halving},
    {4, 128, reduce_scatter_butterfly},
    {4, 256, collectives::reduce_scatter_recursive_halving},
    {4, 4096, reduce_scatter_butterfly},
    {4, 8192, collectives::reduce_scatter_recursive_halving},
    {4, 131072, reduce_scatter_butterfly},
    {4, any, reduce_scatter_nonoverlapping},
    {8, 8, collectives::reduce_scatter_recursive_halving},
    {8, 32, collectives::reduce_scatter_recursive_doubling},
    {8, 256, reduce_scatter_butterfly},
    {8, 8192, collectives::reduce_scatter_recursive_halving},
    {8, 16384, reduce_scatter_butterfly},
    {8, 1048576, collectives::reduce_scatter_recursive_halving},
    {8, any, reduce_scatter_nonoverlapping},
    {16, 4, reduce_scatter_nonoverlapping},
    {16, 32, collectives::reduce_scatter_recursive_halving},
    {16, 128, reduce_scatter_butterfly},
    {16, 524288, collectives::reduce_scatter_recursive_halving},
    {16, 4194304, reduce_scatter_nonoverlapping},
    {16, any, reduce_scatter_butterfly},
    {32, 32, reduce_scatter_nonoverlapping},
    {32, 524288, collectives::reduce_scatter_recursive_halving},
    {32, 2097152, reduce_scatter_nonoverlapping},
    {32, 4194304, collectives::reduce_scatter_recursive_halving},
    {32, any, reduce_scatter_butterfly},
    {any, 4, collectives::reduce_scatter_recursive_halving},
    {any, 16, reduce_scatter_nonoverlapping},
    {any, 65536, reduce_scatter_butterfly},
    {any, 262144, reduce_scatter_nonoverlapping},
    {any, any, reduce_scatter_butterfly},
}};

constexpr std::array<DecisionRow, 1> ordered_reduce_scatter_blocks{{
    {any, any, reduce_scatter_nonoverlapping},
}};

}  // namespace

DecisionTable reduce_table(bool commutative) {
  return commutative ? DecisionTable(reduces) : DecisionTable(ordered_reduces);
}
DecisionTable allreduce_table(bool commutative) {
  return commutative ? DecisionTable(allreduces) : DecisionTable(ordered_allreduces);
}
DecisionTable reduce_scatter_table(bool commutative) {
  return commutative ? DecisionTable(reduce_scatters) : DecisionTable(ordered_reduce_scatters);
}
DecisionTable reduce_scatter_block_table(bool commutative) {
  return commutative ? DecisionTable(reduce_scatter_blocks) : DecisionTable(ordered_reduce_scatter_blocks);
}

}  // namespace morgana::collectives::openmpi
