#include "emulator/engine/polls.h"

#include <algorithm>
#include <utility>

namespace morgana {

Polls::Polls(Machine& machine, OperationSource& source, const std::vector<RankState>& ranks,
             const CollectiveRunner& collectives, const RankProcessors& processors)
    : machine_(machine),
      events_(*machine.events),
      source_(source),
      ranks_(ranks),
      collectives_(collectives),
      processors_(processors) {}

/// Whether the rank only asks, and does so when it says: nobody else uses its processor, and no collective of
/// its goes on in the call, whose messages would be under way before the rank is known to be any further.
bool Polls::is_pure(Rank rank) const {
  const Operation& operation = ranks_[index(rank)].operation;
  return (operation.kind == OperationKind::test || operation.kind == OperationKind::test_probe) &&
         operation.wants_answer && !processors_.may_be_taken() &&
         !collectives_.progress(rank).has_background();
}

bool Polls::keep(Rank rank, SimTime begin) {
  if (pending_.size() >= most_told || !is_pure(rank)) return false;
  pending_.push_back({rank, begin});
  return true;
}

SimTime Polls::first_begin() const {
  SimTime first = SimTime::max();
  for (const Pending& poll : pending_) first = std::min(first, poll.begin);
  return first;
}

std::optional<Polls::Pending> Polls::take_first(SimTime horizon) {
  if (pending_.empty()) return std::nullopt;
  const Pending first = *std::ranges::min_element(pending_, {}, &Pending::begin);
  if (first.begin > horizon) return std::nullopt;
  std::erase_if(pending_, [&](const Pending& poll) { return poll.rank == first.rank; });
  return first;
}

bool Polls::are_due(SimTime horizon) const {
  return std::ranges::any_of(failed_,
                             [&](const Failed& poll) { return ranks_[index(poll.rank)].clock <= horizon; });
}

/// Whether something has come since the poll was looked at, which the same poll might find now, or it would
/// go on with a collective; or took longer than such polls do, so that the rank can't tell from it what the
/// next one will cost.
bool Polls::may_end_otherwise(const Failed& failed) const {
  const Rank rank = failed.rank;
  const RankState& state = ranks_[index(rank)];
  const Operation& poll = state.operation;
  if (state.news != failed.news || collectives_.progress(rank).owes()) return true;
  if (state.clock - state.begin != machine_.messages.poll_cost) return true;
  // An interrupt before the poll would be taken for its cost, and one since then sets the rank's own time
  // back. What others do on its processor delays it at times that it can't know.
  return processors_.is_shared(rank) || poll.interrupted > SimTime() || state.interrupted > SimTime();
}

std::vector<Rank> Polls::answer_failed(std::span<const Rank> computing_now) {
  const std::vector<Failed> failed = std::exchange(failed_, {});
  std::vector<Rank> asking;
  for (const Failed& poll : failed) asking.push_back(poll.rank);
  // Nothing changes before the next event, or before a rank that computes does something.
  const SimTime next_event = events_.empty() ? SimTime::max() : events_.next_time();
  std::vector<Rank> computing(computing_now.begin(), computing_now.end());
  computing.insert(computing.end(), asking.begin(), asking.end());
  for (const Failed& poll : failed) {
    const Rank rank = poll.rank;
    const RankState& state = ranks_[index(rank)];
    if (!state.operation.wants_answer) continue;
    Answer answer;
    answer.clock = state.clock;
    answer.news = poll.news;
    if (may_end_otherwise(poll)) {
      source_.answer(rank, answer);
      continue;
    }
    answer.quiet_until = answer.quiet_but_for_computing = next_event;
    const bool are_told = computing.size() + pending_.size() <= most_told;
    const auto limit = [&](Rank other, SimTime bound) {
      answer.quiet_until = std::min(answer.quiet_until, bound);
      if (are_told) answer.computing.push_back({other});
    };
    for (const Rank other : computing)
      if (other != rank) limit(other, ranks_[index(other)].bound);
    for (const Pending& other : pending_) limit(other.rank, other.begin);
    if (answer.computing.empty()) answer.quiet_but_for_computing = SimTime();
    source_.answer(rank, answer);
  }
  return asking;
}

void Polls::forget(Rank rank) {
  std::erase_if(failed_, [rank](const Failed& poll) { return poll.rank == rank; });
  std::erase_if(pending_, [rank](const Pending& poll) { return poll.rank == rank; });
}

}  // namespace morgana
