#pragma once

#include <cstdint>

namespace morgana {

/// A communication context: messages of one never match receives of another. Context 0 holds every rank; the
/// program's other ones are announced by their members before use (OperationKind::context_created), but for
/// the open ones.
///
/// Of the number's 64 bits the upper three are planes, in which the lower 61 name the same members:
/// collective messages (63), partitioned messages (62), and open contexts (61), which hold every rank, also
/// those that are started later, and are never announced. Planes and numbers are read and made by the
/// functions below only.
enum class Context : std::uint64_t {};

constexpr Context world_context{0};
/// Receives and probes may ask for messages of any context but the service context and those of collectives.
constexpr Context any_context{~std::uint64_t{0} >> 1};

namespace planes {
constexpr std::uint64_t collective = std::uint64_t{1} << 63, partitioned = std::uint64_t{1} << 62,
                        open = std::uint64_t{1} << 61;
}  // namespace planes

/// @param number  below 2^61
constexpr Context open_context(std::uint64_t number) {
  return Context{planes::open | number};
}
constexpr bool is_open(Context context) {
  return (static_cast<std::uint64_t>(context) & planes::open) != 0;
}
/// @param context  an open one
constexpr std::uint64_t number_of_open(Context context) {
  return static_cast<std::uint64_t>(context) & ~planes::open;
}
/// Messages between PVM tasks and their machine: requests, replies. Not part of the program's traffic.
constexpr Context service_context = open_context(0);
/// No message is ever sent here: a receive from it asks for what can't be sent (in PVM a source or a tag
/// that there is none of).
constexpr Context nowhere_context = open_context(std::uint64_t{1} << 32);

/// Where the messages of a context's collectives go: they never meet the program's own.
constexpr Context for_collectives(Context context) {
  return Context{static_cast<std::uint64_t>(context) | planes::collective};
}
constexpr bool is_for_collectives(Context context) {
  return (static_cast<std::uint64_t>(context) & planes::collective) != 0;
}
/// Where a context's partitioned messages go, which match among themselves (MPI 4.0, section 4.2).
constexpr Context for_partitioned_messages(Context context) {
  return Context{static_cast<std::uint64_t>(context) | planes::partitioned};
}

}  // namespace morgana
