#pragma once

#include <span>

#include "emulator/operations/operation.h"

namespace morgana::mpi {

/// What a context is derived for. Each purpose has numbers of its own, away from those that members choose
/// and from the planes above (emulator/operations/context.h).
enum class Derived : std::uint64_t {
  meeting = std::uint64_t{1} << 58,       ///< members of a group meet who have no communicator yet
  communicator = std::uint64_t{2} << 58,  ///< of a communicator that is made of another one or of a group
  window = std::uint64_t{3} << 58,        ///< of those who have made a window together
  file = std::uint64_t{4} << 58,          ///< of those who have opened a file together
  collective = std::uint64_t{5} << 58,    ///< of a persistent collective, which meets no others
  partitioned = std::uint64_t{6} << 58,   ///< of partitioned messages, see CommunicatorTable::for_partitioned
};

/// A context whose number follows from what all of its members know, so that nobody needs to be asked.
Context derived_context(Derived purpose, Context parent, std::span<const Rank> members, std::uint64_t number);

}  // namespace morgana::mpi
