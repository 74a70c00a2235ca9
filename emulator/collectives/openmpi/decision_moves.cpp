#include <array>

#include "emulator/collectives/openmpi/algorithms.h"
#include "emulator/collectives/openmpi/decision_table.h"

// Decision functions of kinds that move data: thresholds of coll_tuned_decision_fixed.c, Open MPI 4.1.4.
namespace morgana::collectives::openmpi {
namespace {

constexpr std::array<DecisionRow, 8> barriers{{
    {4, any, barrier_recursive_doubling},
    {8, any, barrier_linear},
    {64, any, barrier_recursive_doubling},
    {256, any, collectives::barrier_dissemination},
    {512, any, barrier_tree},
    {1024, any, collectives::barrier_dissemination},
    {4096, any, barrier_tree},
    {any, any, collectives::barrier_dissemination},
}};

constexpr std::array<DecisionRow, 44> broadcasts{{
    {4, 32, broadcast_pipeline},
    {4, 256, broadcast_binary},
    {4, 512, broadcast_pipeline},
    {4, 1024, broadcast_knomial},
    {4, 32768, broadcast_linear},
    {4, 131072, broadcast_binary},
    {4, 262144, broadcast_chain},
    {4, 524288, broadcast_linear},
    {4, 1048576, broadcast_binomial},
    {4, any, broadcast_binary},
    {8, 64, broadcast_binary},
    {8, 128, broadcast_binomial},
    {8, 2048, broadcast_binary},
    {8, 8192, broadcast_binomial},
    {8, 1048576, broadcast_linear},
    {8, any, broadcast_chain},
    {16, 8, broadcast_knomial},
    {16, 64, broadcast_binary},
    {16, 4096, broadcast_knomial},
    {16, 16384, broadcast_binary},
    {16, 32768, broadcast_binomial},
    {16, any, broadcast_linear},
    {32, 4096, broadcast_knomial},
    {32, 1048576, broadcast_binomial},
    {32, any, broadcast_scatter_allgather},
    {64, 2048, broadcast_binomial},
    {64, any, broadcast_knomial},
    {128, any, broadcast_knomial},
    {256, 2, broadcast_binomial},
    {256, 16384, broadcast_binary},
    {256, 32768, broadcast_linear},
    {256, 65536, broadcast_binary},
    {256, any, broadcast_knomial},
    {1024, 16384, broadcast_knomial},
    {1024, 32768, broadcast_split_binary},
    {1024, any, broadcast_knomial},
    {2048, 524288, broadcast_knomial},
    {2048, any, broadcast_scatter_allgather},
    {4096, 262144, broadcast_knomial},
    {4096, any, broadcast_scatter_allgather},
    {any, 8192, broadcast_knomial},
    {any, 16384, broadcast_binary},
    {any, 262144, broadcast_knomial},
    {any, any, broadcast_scatter_allgather},
}};

constexpr std::array<DecisionRow, 16> gathers{{
    {4, 2, gather_linear_sync},
    {4, 4, gather_linear},
    {4, 32768, gather_binomial},
    {4, 65536, gather_linear},
    {4, 131072, gather_binomial},
    {4, any, gather_linear_sync},
    {8, 1024, gather_binomial},
    {8, 8192, gather_linear},
    {8, 32768, gather_binomial},
    {8, 262144, gather_linear},
    {8, any, gather_linear_sync},
    {256, any, gather_binomial},
    {512, 2048, gather_binomial},
    {512, 8192, gather_linear},
    {512, any, gather_binomial},
    {any, any, gather_binomial},
}};

constexpr std::array<DecisionRow, 22> scatters{{
    {4, 2, scatter_linear_nonblocking},
    {4, 131072, scatter_linear},
    {4, 262144, scatter_linear_nonblocking},
    {4, any, scatter_linear},
    {8, 2048, scatter_binomial},
    {8, 4096, scatter_linear},
    {8, 8192, scatter_binomial},
    {8, 32768, scatter_linear},
    {8, 1048576, scatter_linear_nonblocking},
    {8, any, scatter_linear},
    {16, 16384, scatter_binomial},
    {16, 1048576, scatter_linear_nonblocking},
    {16, any, scatter_linear},
    {32, 16384, scatter_binomial},
    {32, 32768, scatter_linear},
    {32, any, scatter_linear_nonblocking},
    {64, 512, scatter_binomial},
    {64, 8192, scatter_linear_nonblocking},
    {64, 16384, scatter_binomial},
    {64, any, scatter_linear_nonblocking},
    {any, 512, scatter_binomial},
    {any, any, scatter_linear_nonblocking},
}};

constexpr std::array<DecisionRow, 43> allgathers{{
    {3, any, allgather_two_proc},
    {32, any, allgather_recursive_doubling},
    {64, 1024, allgather_recursive_doubling},
    {64, 65536, allgather_neighbor_exchange},
    {64, any, collectives::allgather_ring},
    {128, 512, allgather_recursive_doubling},
    {128, 65536, allgather_neighbor_exchange},
    {128, any, collectives::allgather_ring},
    {256, 512, allgather_recursive_doubling},
    {256, 131072, allgather_neighbor_exchange},
    {256, 524288, collectives::allgather_ring},
    {256, 1048576, allgather_neighbor_exchange},
    {256, any, collectives::allgather_ring},
    {512, 32, allgather_recursive_doubling},
    {512, 128, allgather_bruck},
    {512, 1024, allgather_recursive_doubling},
    {512, 131072, allgather_neighbor_exchange},
    {512, 524288, collectives::allgather_ring},
    {512, 1048576, allgather_neighbor_exchange},
    {512, any, collectives::allgather_ring},
    {1024, 64, allgather_recursive_doubling},
    {1024, 256, allgather_bruck},
    {1024, 2048, allgather_recursive_doubling},
    {1024, any, allgather_neighbor_exchange},
    {2048, 4, allgather_recursive_doubling},
    {2048, 8, allgather_bruck},
    {2048, 16, allgather_recursive_doubling},
    {2048, 32, allgather_bruck},
    {2048, 256, allgather_recursive_doubling},
    {2048, 512, allgather_bruck},
    {2048, 4096, allgather_recursive_doubling},
    {2048, any, allgather_neighbor_exchange},
    {4096, 32, allgather_bruck},
    {4096, 128, allgather_recursive_doubling},
    {4096, 512, allgather_bruck},
    {4096, 4096, allgather_recursive_doubling},
    {4096, any, allgather_neighbor_exchange},
    {any, 2, allgather_recursive_doubling},
    {any, 8, allgather_bruck},
    {any, 16, allgather_recursive_doubling},
    {any, 512, allgather_bruck},
    {any, 4096, allgather_recursive_doubling},
    {any, any, allgather_neighbor_exchange},
}};

constexpr std::array<DecisionRow, 33> allgathervs{{
    {3, 2048, allgatherv_ring},
    {3, 4096, allgatherv_two_proc},
    {3, 8192, allgatherv_ring},
    {3, any, allgatherv_two_proc},
    {8, 256, allgatherv_linear},
    {8, 4096, allgatherv_neighbor_exchange},
    {8, 8192, allgatherv_ring},
    {8, 16384, allgatherv_neighbor_exchange},
    {8, 262144, allgatherv_bruck},
    {8, any, allgatherv_neighbor_exchange},
    {16, 1024, allgatherv_linear},
    {16, any, allgatherv_bruck},
    {32, 128, allgatherv_linear},
    {32, 262144, allgatherv_bruck},
    {32, any, allgatherv_ring},
    {64, 256, allgatherv_linear},
    {64, 8192, allgatherv_bruck},
    {64, any, allgatherv_ring},
    {128, 256, allgatherv_linear},
    {128, 4096, allgatherv_bruck},
    {128, any, allgatherv_ring},
    {256, 1024, allgatherv_bruck},
    {256, 65536, allgatherv_neighbor_exchange},
    {256, any, allgatherv_ring},
    {512, 1024, allgatherv_bruck},
    {512, any, allgatherv_ring},
    {1024, 512, allgatherv_bruck},
    {1024, 1024, allgatherv_linear},
    {1024, 4096, allgatherv_bruck},
    {1024, 1048576, allgatherv_neighbor_exchange},
    {1024, any, allgatherv_ring},
    {any, 4096, allgatherv_bruck},
    {any, any, allgatherv_neighbor_exchange},
}};

constexpr std::array<DecisionRow, 64> alltoalls{{
    {3, 2, alltoall_pairwise},
    {3, 4, alltoall_two_proc},
    {3, 16, alltoall_pairwise},
    {3, 64, alltoall_two_proc},
    {3, 256, alltoall_pairwise},
    {3, 4096, alltoall_two_proc},
    {3, 32768, alltoall_pairwise},
    {3, 262144, alltoall_linear_sync},
    {3, 1048576, alltoall_two_proc},
    {3, any, alltoall_pairwise},
    {8, 8192, alltoall_linear_sync},
    {8, 16384, alltoall_linear},
    {8, 65536, alltoall_linear_sync},
    {8, 524288, alltoall_linear},
    {8, 1048576, alltoall_pairwise},
    {8, any, alltoall_linear},
    {16, 262144, alltoall_linear_sync},
    {16, any, alltoall_linear},
    {32, 4, alltoall_linear_sync},
    {32, 512, alltoall_bruck},
    {32, 8192, alltoall_linear_sync},
    {32, 32768, alltoall_linear},
    {32, 262144, alltoall_linear_sync},
    {32, 524288, alltoall_linear},
    {32, any, alltoall_linear_sync},
    {64, 512, alltoall_bruck},
    {64, 524288, alltoall_linear},
    {64, any, alltoall_linear_sync},
    {128, 1024, alltoall_bruck},
    {128, 2048, alltoall_linear},
    {128, 4096, alltoall_linear_sync},
    {128, 262144, alltoall_linear},
    {128, any, alltoall_pairwise},
    {256, 1024, alltoall_bruck},
    {256, 2048, alltoall_linear_sync},
    {256, 262144, alltoall_linear},
    {256, any, alltoall_pairwise},
    {512, 1024, alltoall_bruck},
    {512, 8192, alltoall_linear_sync},
    {512, 32768, alltoall_linear},
    {512, any, alltoall_pairwise},
    {1024, 512, alltoall_bruck},
    {1024, 8192, alltoall_linear_sync},
    {1024, 16384, alltoall_linear},
    {1024, 131072, alltoall_linear_sync},
    {1024, 262144, alltoall_linear},
    {1024, any, alltoall_pairwise},
    {2048, 512, alltoall_bruck},
    {2048, 1024, alltoall_linear_sync},
    {2048, 2048, alltoall_linear},
    {2048, 16384, alltoall_linear_sync},
    {2048, 262144, alltoall_linear},
    {2048, any, alltoall_linear_sync},
    {4096, 1024, alltoall_bruck},
    {4096, 4096, alltoall_linear_sync},
    {4096, 8192, alltoall_linear},
    {4096, 131072, alltoall_linear_sync},
    {4096, any, alltoall_linear},
    {any, 2048, alltoall_bruck},
    {any, 8192, alltoall_linear_sync},
    {any, 16384, alltoall_linear},
    {any, 32768, alltoall_linear_sync},
    {any, 65536, alltoall_linear},
    {any, any, alltoall_linear_sync},
}};

constexpr std::array<DecisionRow, 6> alltoallvs{{
    {4, any, alltoallv_pairwise},
    {64, any, alltoallv_linear},
    {128, any, alltoallv_pairwise},
    {256, any, alltoallv_linear},
    {1024, any, alltoallv_pairwise},
    {any, any, alltoallv_linear},
}};

}  // namespace

DecisionTable barrier_table() {
  return barriers;
}
DecisionTable broadcast_table() {
  return broadcasts;
}
DecisionTable gather_table() {
  return gathers;
}
DecisionTable scatter_table() {
  return scatters;
}
DecisionTable allgather_table() {
  return allgathers;
}
DecisionTable allgatherv_table() {
  return allgathervs;
}
DecisionTable alltoall_table() {
  return alltoalls;
}
DecisionTable alltoallv_table() {
  return alltoallvs;
}

}  // namespace morgana::collectives::openmpi
