#pragma once

#include <span>

#include "emulator/operations/operation.h"

namespace morgana::mpi {

/// What a context is derived for. Each purpose has numbers of its own, away from those that members choose.
enum class Derived : std::uint64_t {
  meeting = std::uint64_t{1} << 62,    ///< members of a group meet who have no communicator yet
  duplicate = std::uint64_t{1} << 61,  ///< of a nonblocking duplication
  file = std::uint64_t{3} << 60,       ///< of those who have opened a file together
};

/// A context whose number follows from what all of its members know, so that nobody needs to be asked.
Context derived_context(Derived purpose, Context parent, std::span<const Rank> members, std::uint64_t number);

}  // namespace morgana::mpi
