#include "traces/otf2/trace_communicators.h"

#include <fmt/format.h>

#include "emulator/core/error.h"
#include "traces/otf2/attributes.h"

namespace morgana {

std::uint32_t WrittenCommunicator::place(Rank rank) const {
  // Ranks begin in the order of their numbers; a receive may name one that has not begun yet.
  if (open && rank >= Rank{0}) return static_cast<std::uint32_t>(rank);
  if (rank < Rank{0} || index(rank) >= place_of.size() || place_of[index(rank)] < 0)
    throw Error(fmt::format("rank {} is not a member of the communicator {} that a recorded operation names",
                            static_cast<std::int32_t>(rank), reference));
  return static_cast<std::uint32_t>(place_of[index(rank)]);
}

TraceCommunicators::TraceCommunicators(std::size_t ranks) : ranks_(ranks), current_(ranks) {
  std::vector<Rank> everyone;
  for (std::size_t i = 0; i < ranks; ++i) everyone.push_back(Rank(static_cast<std::int32_t>(i)));
  define(everyone);
  communicators_[0].open = true;
  communicators_[0].name = "MPI_COMM_WORLD";
}

void TraceCommunicators::add_rank() {
  const auto fresh = static_cast<std::int32_t>(ranks_++);
  current_.emplace_back();
  for (WrittenCommunicator& communicator : communicators_) {
    communicator.place_of.push_back(communicator.open ? fresh : -1);
    if (communicator.open) communicator.members.push_back(Rank(fresh));
  }
}

std::uint32_t TraceCommunicators::define(const std::vector<Rank>& members) {
  WrittenCommunicator& communicator = communicators_.emplace_back();
  communicator.reference = static_cast<std::uint32_t>(communicators_.size() - 1);
  communicator.members = members;
  communicator.place_of.assign(ranks_, -1);
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i] < Rank{0} || index(members[i]) >= ranks_)
      throw Error(fmt::format("a communicator names rank {}, but the recorded run has {} ranks",
                              static_cast<std::int32_t>(members[i]), ranks_));
    communicator.place_of[index(members[i])] = static_cast<std::int32_t>(i);
  }
  return communicator.reference;
}

void TraceCommunicators::announce(Rank rank, Context context, const std::vector<Rank>& members) {
  if (context == world_context) return;
  std::vector<std::uint32_t>& known = references_[context];
  std::uint32_t reference = 0;  // 0 is MPI_COMM_WORLD: no other context means that
  for (const std::uint32_t candidate : known)
    if (communicators_[candidate].members == members) reference = candidate;
  if (reference == 0) {
    reference = define(members);
    known.push_back(reference);
  }
  const auto number = static_cast<std::uint64_t>(context);
  if (std::uint32_t* current = current_[index(rank)].find(number))
    *current = reference;
  else
    current_[index(rank)].insert(number, reference);
}

const WrittenCommunicator& TraceCommunicators::find(Rank rank, Context context) {
  if (context == world_context || context == any_context) return communicators_[0];
  if (is_open(context)) {
    std::vector<std::uint32_t>& known = references_[context];
    if (known.empty()) {
      const std::vector<Rank> everyone = communicators_[0].members;  // a copy: defining moves communicators
      known.push_back(define(everyone));
      communicators_.back().open = true;
      communicators_.back().name = fmt::format("{}{}", open_context_prefix, number_of_open(context));
    }
    return communicators_[known[0]];
  }
  const std::uint32_t* reference = current_[index(rank)].find(static_cast<std::uint64_t>(context));
  if (reference == nullptr)
    throw Error(fmt::format("rank {} uses a communicator that it has not announced", index(rank)));
  return communicators_[*reference];
}

}  // namespace morgana
