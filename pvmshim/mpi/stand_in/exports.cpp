// The MPI_* and PMPI_* functions that a program finds here in place of its MPI library's.

#include <mpi.h>

#include <cstring>

#include "pvmshim/mpi/stand_in/by_hand.h"
#include "pvmshim/mpi/stand_in/each_parameter.h"
#include "pvmshim/mpi/stand_in/parameters.h"
#include "pvmshim/mpi/stand_in/targets.h"

using namespace morgana::stand_in;

#define MORGANA_SHOWN extern "C" __attribute__((visibility("default")))
#define MORGANA_CALLER __builtin_return_address(0)

// P##name and name. A function of ours has a name of its own for the compiler, to which mpi.h has declared
// MPI's with MPICH's types, and MPI's name for the linker. A call of `name` is left to a tool, if there is
// one.
#define MORGANA_FUNCTIONS(name, result, body, ...)                                                           \
  MORGANA_SHOWN result profiled_##name(MORGANA_PARAMETERS(__VA_ARGS__)) __asm__("P" #name);                  \
  MORGANA_SHOWN result profiled_##name(MORGANA_PARAMETERS(__VA_ARGS__)){                                     \
      body(name,                                                                                             \
           __VA_ARGS__)} MORGANA_SHOWN result called_##name(MORGANA_PARAMETERS(__VA_ARGS__)) __asm__(#name); \
  MORGANA_SHOWN result called_##name(MORGANA_PARAMETERS(__VA_ARGS__)) {                                      \
    static auto* const tool = reinterpret_cast<decltype(&called_##name)>(function_of_tool(#name));           \
    if (tool != nullptr && !targets().is_below(MORGANA_CALLER)) return tool(MORGANA_ARGUMENTS(__VA_ARGS__)); \
    body(name, __VA_ARGS__)                                                                                  \
  }

#define MORGANA_CONVERTED(name, ...)                                                      \
  const Targets& all = targets();                                                         \
  if (all.is_below(MORGANA_CALLER))                                                       \
    return pass_on(targets_of_mpich().name __VA_OPT__(, MORGANA_ARGUMENTS(__VA_ARGS__))); \
  return carry_out(all.name __VA_OPT__(, MORGANA_ARGUMENTS(__VA_ARGS__)));
#define MORGANA_CALL(name, ...)                                    \
  MORGANA_FUNCTIONS(name, ResultOf<decltype(Targets::name)>::Type, \
                    MORGANA_CONVERTED __VA_OPT__(, __VA_ARGS__))

#define MORGANA_CALL_AS(name, other, ...)                                                          \
  MORGANA_SHOWN int profiled_##name(MORGANA_PARAMETERS(__VA_ARGS__)) __asm__("P" #name);           \
  MORGANA_SHOWN int profiled_##name(MORGANA_PARAMETERS(__VA_ARGS__)) {                             \
    return carry_out(targets().other, MORGANA_ARGUMENTS(__VA_ARGS__));                             \
  }                                                                                                \
  MORGANA_SHOWN int called_##name(MORGANA_PARAMETERS(__VA_ARGS__)) __asm__(#name);                 \
  MORGANA_SHOWN int called_##name(MORGANA_PARAMETERS(__VA_ARGS__)) {                               \
    static auto* const tool = reinterpret_cast<decltype(&called_##name)>(function_of_tool(#name)); \
    return (tool != nullptr ? tool : profiled_##name)(MORGANA_ARGUMENTS(__VA_ARGS__));             \
  }

#define MORGANA_HAND(name, ...)                                              \
  if (targets().is_below(MORGANA_CALLER))                                    \
    return widened<decltype(by_hand::name(MORGANA_ARGUMENTS(__VA_ARGS__)))>( \
        pass_on(targets_of_mpich().name, MORGANA_ARGUMENTS(__VA_ARGS__)));   \
  return by_hand::name(MORGANA_ARGUMENTS(__VA_ARGS__));
#define MORGANA_BY_HAND(name, result, ...) MORGANA_FUNCTIONS(name, result, MORGANA_HAND, __VA_ARGS__)

#define MORGANA_HAND_ALONE(name, ...) return by_hand::name(MORGANA_ARGUMENTS(__VA_ARGS__));
#define MORGANA_ALONE(name, result, ...) \
  MORGANA_FUNCTIONS(name, result, MORGANA_HAND_ALONE __VA_OPT__(, __VA_ARGS__))

namespace {

template <typename Function>
struct ResultOf;
template <typename Result, typename... Parameters>
struct ResultOf<Result (*)(Parameters...)> {
  using Type = Result;
};

/// What MPICH gives itself, in the register of a wider type.
template <typename Wide, typename Result>
Wide widened(Result result) {
  static_assert(sizeof(Result) <= sizeof(Wide));  // NOLINT(bugprone-sizeof-expression): of pointers, too
  Wide wide{};
  std::memcpy(&wide, &result, sizeof result);  // NOLINT(bugprone-sizeof-expression): of pointers, too
  return wide;
}

}  // namespace

#include "pvmshim/mpi/stand_in/calls.def"

#define MORGANA_TOOL(name)                                \
  MORGANA_SHOWN int profiled_##name() __asm__("P" #name); \
  MORGANA_SHOWN int profiled_##name() {                   \
    return tool_interface_not_initialized;                \
  }                                                       \
  MORGANA_SHOWN int called_##name() __asm__(#name);       \
  MORGANA_SHOWN int called_##name() {                     \
    return tool_interface_not_initialized;                \
  }
#include "pvmshim/mpi/stand_in/tool_interface.def"
#undef MORGANA_TOOL
MORGANA_SHOWN int profiled_MPI_T_init_thread() __asm__("PMPI_T_init_thread");
MORGANA_SHOWN int profiled_MPI_T_init_thread() {
  return tool_interface_cannot_start;
}
MORGANA_SHOWN int called_MPI_T_init_thread() __asm__("MPI_T_init_thread");
MORGANA_SHOWN int called_MPI_T_init_thread() {
  return tool_interface_cannot_start;
}

#define MORGANA_REFUSED(name)                              \
  MORGANA_SHOWN int profiled_##name() __asm__("P" #name);  \
  MORGANA_SHOWN int profiled_##name() {                    \
    end_with(stand_in_name, " does not carry out " #name); \
  }                                                        \
  MORGANA_SHOWN int called_##name() __asm__(#name);        \
  MORGANA_SHOWN int called_##name() {                      \
    end_with(stand_in_name, " does not carry out " #name); \
  }
#if defined(MORGANA_STANDARD_ABI)
#include "pvmshim/mpi/stand_in/abi/refused.def"
#else
#include "pvmshim/mpi/stand_in/openmpi/refused.def"
#endif
#undef MORGANA_REFUSED
