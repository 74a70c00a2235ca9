#pragma once

#include <mpi.h>

#include <cstddef>
#include <tuple>

namespace morgana::mpi {

template <typename Function>
struct ParametersOf;
template <typename Result, typename... Parameters>
struct ParametersOf<Result (*)(Parameters...)> {
  using Types = std::tuple<Parameters...>;
};

// Parameters that releases of MPICH declare differently, as the header that is compiled against has them.

/// MPICH 4.0: int*; 4.2: const int*.
using PartitionList = std::tuple_element_t<1, ParametersOf<decltype(&::MPI_Pready_list)>::Types>;

}  // namespace morgana::mpi
