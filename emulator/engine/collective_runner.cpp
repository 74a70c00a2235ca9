#include "emulator/engine/collective_runner.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "emulator/core/end_of_time.h"

namespace morgana {
CollectiveRunner::CollectiveRunner(Machine& machine, Messenger& messenger, CollectiveClient& client,
                                   const ContextTable& contexts)
    : machine_(machine),
      messenger_(messenger),
      client_(client),
      contexts_(contexts),
      entered_(contexts, machine.host_of.size()),
      match_matters_beyond_(messenger.match_matters_beyond()),
      receives_cost_(messenger.receives_cost()),
      progresses_in_calls_(machine.collectives.progress == CollectiveTuning::Progress::in_calls),
      progress_(machine.host_of.size()) {}

std::uint32_t CollectiveRunner::enter(Rank rank, const Operation& operation, std::uint32_t request) {
  const EnteredCollectives::Entry entry = entered_.enter(rank, operation, machine_.events->now());
  const std::uint32_t number = parts_.take();
  Part& part = parts_[number];
  part.schedule.clear();
  const auto plan = [&](const CollectivePart& collective) {
    make_schedule(collective, static_cast<std::int32_t>(entry.all->size()), entry.place, machine_.collectives,
                  part.schedule);
  };
  const collectives::AgreedSizes& sizes = entered_.sizes(entry.collective);
  if (collectives::disagrees(operation.collective, sizes))
    plan(collectives::with_sizes(operation.collective, sizes));
  else
    plan(operation.collective);
  part.rank = rank;
  part.request = request;
  part.collective = entry.collective;
  part.plane = {for_collectives(operation.context), rank,
                Tag{static_cast<std::int32_t>(entry.sequence & 0x7fffffff)}};
  part.next_step = 0;
  part.pending = 0;
  part.clock = machine_.events->now();
  part.owed = SimTime();
  part.copies.clear();
  part.in_memory.reset();
  part.is_owed = part.starting = part.in_group = part.step_copied = false;
  part.outcome = Outcome::delivered;
  part.background = in_background(operation);
  part.own_thread = goes_on_besides(operation);
  if (causes_ != nullptr && part.own_thread && progress_[index(rank)].besides_until <= part.clock)
    causes_->released({{rank, true}, part.clock, {rank}, part.clock, {}});
  if (part.background) ++progress_[index(rank)].background;
  run(number);
  return number;
}

void CollectiveRunner::begin_call(Rank rank, bool goes_on) {
  RankProgress& progress = progress_[index(rank)];
  progress.in_call = true;
  progress.work.clear();
  if (goes_on) resume_owed(rank);
}

void CollectiveRunner::resume_owed(Rank rank) {
  RankProgress& progress = progress_[index(rank)];
  const SimTime now = machine_.events->now();
  for (const std::uint32_t number : std::exchange(progress.owed, {})) {
    Part& part = parts_[number];
    part.is_owed = false;
    if (!may_go_on(part)) {
      owe(number);
      continue;
    }
    spend(part, now, std::exchange(part.owed, SimTime()));
    run(number);
  }
}

void CollectiveRunner::go_on(Rank rank, SimTime since, SimTime until) {
  RankProgress& progress = progress_[index(rank)];
  progress.interrupt(since, machine_.events->now() - since, until);
  if (!progress.owed.empty()) resume_owed(rank);
}

void CollectiveRunner::end_call(Rank rank) {
  progress_[index(rank)].in_call = false;
}

bool CollectiveRunner::may_go_on(const Part& part) const {
  if (part.background && (!progress_[index(part.rank)].in_call || part.is_owed)) return false;
  return !shares_processors_ || part.own_thread || (!part.is_owed && client_.gets_processor(part.rank));
}

/// The next call of the part's rank will see to it.
void CollectiveRunner::owe(std::uint32_t number) {
  Part& part = parts_[number];
  if (part.is_owed) return;
  part.is_owed = true;
  progress_[index(part.rank)].owed.push_back(number);
}

void CollectiveRunner::run(std::uint32_t number) {
  while (parts_[number].pending == 0) {
    await_processor(parts_[number]);
    if (parts_[number].next_step == parts_[number].schedule.size()) {
      finish(number);
      return;
    }
    if (must_start_on_time(parts_[number])) {
      machine_.events->schedule(parts_[number].clock, *this, number);
      return;
    }
    start_group(number);
    if (parts_[number].starting) return;
  }
}

void CollectiveRunner::handle(std::uint64_t what) {
  const auto number = static_cast<std::uint32_t>(what);
  if (const auto due = due_.find(number); due != due_.end()) {
    const MemoryWork work = due->second;
    due_.erase(due);
    return begin_in_memory(number, work);
  }
  if (may_go_on(parts_[number]))
    run(number);
  else
    owe(number);
}

bool CollectiveRunner::must_start_on_time(const Part& part) const {
  // Sends carry the time at which they are ready. A receive matters at its own time only if its match starts
  // something.
  if (part.clock <= machine_.events->now()) return false;
  for (std::size_t i = part.next_step; i < part.schedule.size(); ++i) {
    const ScheduleStep& step = part.schedule[i];
    if (step.kind == ScheduleStep::Kind::fence) return false;
    if (step.kind == ScheduleStep::Kind::receive && step.bytes > match_matters_beyond_) return true;
  }
  return false;
}

/// What reaches a part whose processor has nothing to do since `idle_from` makes it go on. All members' parts
/// go on beside their ranks, or none.
void CollectiveRunner::tell_release(const Part& part, SimTime idle_from, SimTime at,
                                    const Origin& origin) const {
  const RankProgress& progress = progress_[index(part.rank)];
  idle_from = std::max(idle_from, part.own_thread ? progress.besides_until : progress.busy_until);
  if (at <= idle_from || origin.by < Rank{0}) return;
  causes_->released({{part.rank, part.own_thread},
                     at,
                     {origin.by, part.own_thread},
                     origin.ready,
                     origin.wire,
                     origin.in_memory,
                     false,
                     origin.timer_wait,
                     origin.carried});
}

void CollectiveRunner::sent(Token token, const Origin& origin) {
  step_ended(static_cast<std::uint32_t>(token) & ~first_token, causes_ != nullptr ? &origin : nullptr);
}

/// A send is complete, or something has failed: its rank's processor has nothing to do for it.
void CollectiveRunner::step_ended(std::uint32_t number, const Origin* origin) {
  Part& part = parts_[number];
  const SimTime now = machine_.events->now();
  const SimTime idle_from = part.clock;
  part.clock = std::max(part.clock, now);
  --part.pending;
  if (part.starting || part.pending > 0) return;
  if (!may_go_on(part)) return owe(number);
  if (origin != nullptr) tell_release(part, idle_from, now, *origin);
  run(number);
}

void CollectiveRunner::returned(Token token, Outcome why) {
  Part& part = parts_[static_cast<std::uint32_t>(token) & ~first_token];
  if (part.outcome == Outcome::delivered) part.outcome = why;
  step_ended(static_cast<std::uint32_t>(token) & ~first_token, nullptr);
}

void CollectiveRunner::received(Token token, SimTime early, SimTime cost, const MemoryWork& copy,
                                const Origin& origin) {
  const std::uint32_t number = static_cast<std::uint32_t>(token) & ~first_token;
  Part& part = parts_[number];
  const bool slowed = may_slow(part, copy);
  if (!slowed) cost = time_before_end(cost + time_before_end(copy.cost, copy.bytes));
  --part.pending;
  if (part.starting) {
    part.owed = time_before_end(part.owed + cost);
    if (slowed) part.copies.push_back(copy);
  } else if (may_go_on(part)) {
    if (causes_ != nullptr) tell_release(part, part.clock, machine_.events->now() - early, origin);
    spend(part, machine_.events->now() - (shares_processors_ ? SimTime() : early), cost);
    if (slowed) {
      part.starting = true;
      part.copies.push_back(copy);
      work_on(number);
    } else {
      run(number);
    }
  } else {
    part.owed = time_before_end(part.owed + cost);
    owe(number);
  }
}

void CollectiveRunner::finish(std::uint32_t number) {
  const Part& part = parts_[number];
  assert(!part.starting && !part.in_memory && !due_.contains(number));
  const std::uint32_t collective = part.collective;
  if (part.background) --progress_[index(part.rank)].background;
  client_.collective_done(part.request, part.clock, entered_.deposits(collective), part.outcome,
                          entered_.partner_at(collective, part.rank));
  parts_.give_back(number);
  entered_.leave(collective);
}

}  // namespace morgana
