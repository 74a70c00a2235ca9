#pragma once

#include <dlfcn.h>

#include "pvmshim/clock/caller.h"
#include "pvmshim/clock/live_rank.h"

namespace morgana {

/// The C library's own function of a name that this library takes over.
template <typename Function>
Function* libc_call(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

/// The rank whose simulated clock a call from this return address is about; null for the real clock.
inline LiveRank* rank_for(const void* return_address) {
  LiveRank* rank = LiveRank::active();
  return rank == nullptr || called_from_below(return_address) ? nullptr : rank;
}

/// Within an exported function: the same function of the C library.
#define MORGANA_LIBC(name)                                                    \
  ([]() {                                                                     \
    static auto* const function_of_libc = libc_call<decltype(::name)>(#name); \
    return function_of_libc;                                                  \
  }())
#define MORGANA_EXPORT extern "C" __attribute__((visibility("default")))

}  // namespace morgana
