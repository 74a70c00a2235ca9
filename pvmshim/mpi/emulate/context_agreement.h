#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace morgana::mpi::emulated {

// MPICH agrees on a communicator's context by an Allreduce: the members' masks of free contexts, of which the
// bits remain that all have set. As the members of a duplicate enter into the call together, in the memory
// that all ranks share, no letter needs to go: what a member sends first is its mask, and what it receives is
// what all masks have in common. Whoever receives before it has sent (somebody's share, on the way to the
// root of the Allreduce) gets the answer that all is free: its mask is in what it sends next. Only the root,
// the first member, which sends last, waits for all others then.
//
// If that comes to nothing (another thread of a member's is about to choose a context, or MPICH's first ones
// are all taken), MPICH tries again, and this time letters go.
//
// The new communicator's first broadcast, by which MPICH numbers it, needs no letters either: what it is for
// does not exist here.
//
// Messages are recognised by their tags, which hold the sender between what is the same for all of an
// Allreduce.

/// Reads now how MPICH is configured to communicate: the environment may change once the rank has begun.
void note_how_mpich_was_launched();
/// MPICH sends a message. @return whether it is an agreement's, and no letter has to go
bool is_agreements(std::uint64_t tag, std::span<const std::byte> data);
/// MPICH is to receive a message of that tag.
void expect_agreements(std::uint64_t tag, std::size_t length);

struct AgreedMessage {
  std::uint64_t tag;
  std::vector<std::byte> data;
};
/// The messages that are expected, as far as it is known by now what they say.
std::vector<AgreedMessage> agreed_messages();
/// Whether some are expected of which it is not.
bool awaits_agreement();
/// Sleeps until it is known. This rank's MPICH makes no progress during that.
void await_agreement();
/// The call of this thread that has agreed is over.
void leave_agreement();

}  // namespace morgana::mpi::emulated
