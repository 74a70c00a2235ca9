#pragma once

#include <ucp/api/ucp.h>

#include <cstdint>

#include "pvmshim/mpi/emulate/ucx/ucp_worker.h"

#define MORGANA_UCX extern "C" __attribute__((visibility("default")))
/// Begins each function of UCX's that MPICH calls: hands the call on to UCX unless it is ours to answer.
#define MORGANA_UCX_ITSELF(function, ...)                                                           \
  if (!morgana::mpi::emulated::letters_carry_mpich()) {                                             \
    static const auto ucxs = morgana::mpi::emulated::ucx_function<decltype(::function)>(#function); \
    return ucxs(__VA_ARGS__);                                                                       \
  }

namespace morgana::mpi::emulated {

/// Whether MPICH's messages go by letters in this process: in an emulated run, over an MPICH that calls no
/// function of UCX's which is not answered here. Otherwise all of them go to UCX, as they do in a capture.
/// MORGANA_MPICH_MESSAGES=ucx in the environment says so, too. Decided at the first call.
bool letters_carry_mpich();

void* ucx_function_named(const char* name);
template <typename Function>
Function* ucx_function(const char* name) {
  return reinterpret_cast<Function*>(ucx_function_named(name));
}

/// An endpoint is no more than whom it leads to.
inline ucp_ep_h endpoint_of(int rank) {
  return reinterpret_cast<ucp_ep_h>(static_cast<std::uintptr_t>(rank) + 1);
}
inline int rank_of(ucp_ep_h endpoint) {
  return static_cast<int>(reinterpret_cast<std::uintptr_t>(endpoint) - 1);
}

/// The process's only one, from ucp_init_version to ucp_cleanup.
UcpWorker& ucp_worker();

}  // namespace morgana::mpi::emulated
