// How a part of a collective starts its steps, and what it does in its host's memory.

#include <cassert>
#include <utility>

#include "emulator/core/end_of_time.h"
#include "emulator/engine/collective_runner.h"

namespace morgana {

void CollectiveRunner::start_group(std::uint32_t number) {
  parts_[number].starting = parts_[number].in_group = true;
  parts_[number].owed = SimTime();
  work_on(number);
}

/// Starts the group's steps and completes the receives that have their messages meanwhile. `starting` is
/// false when all that is done; else the memory is at a copy, whose end goes on here.
void CollectiveRunner::work_on(std::uint32_t number) {
  if (parts_[number].in_group && !start_steps(number)) return;
  Part& part = parts_[number];
  part.in_group = false;
  if (part.owed > SimTime()) spend(part, part.clock, std::exchange(part.owed, SimTime()));
  if (part.copies.empty()) {
    part.starting = false;
    return;
  }
  const MemoryWork work = part.copies.front();
  part.copies.erase(part.copies.begin());
  use_memory(number, work);
}

/// @return whether all have started
bool CollectiveRunner::start_steps(std::uint32_t number) {
  const auto& members =
      contexts_.members(entered_.context_of(parts_[number].collective), parts_[number].rank);
  const Token token{first_token | number};
  // Starting a message may complete others and so come back to this runner: no reference into parts_ is kept.
  while (parts_[number].next_step < parts_[number].schedule.size()) {
    const ScheduleStep step = parts_[number].schedule[parts_[number].next_step];
    if (step.kind == ScheduleStep::Kind::fence) {
      ++parts_[number].next_step;
      break;
    }
    Part& part = parts_[number];
    switch (step.kind) {
      case ScheduleStep::Kind::receive: {
        ++part.next_step;
        ++part.pending;
        Envelope pattern = part.plane;
        pattern.source = members[static_cast<std::size_t>(step.peer)];
        if (receives_cost_) spend(part, part.clock, messenger_.receive_cost(part.rank, pattern, step.bytes));
        const SimTime after = messenger_.receive(part.rank, pattern, token).after;
        if (receives_cost_) spend(parts_[number], parts_[number].clock, after);
        break;
      }
      case ScheduleStep::Kind::send: {
        const Rank receiver = members[static_cast<std::size_t>(step.peer)];
        Messenger::SendCost cost = messenger_.send_cost(part.rank, receiver, step.bytes, SendMode::standard);
        SimTime begun = part.clock;
        if (cost.copied.bytes > Bytes() && may_slow(part, cost.copied)) {
          if (!done_in_memory(number, cost.copied)) return false;
          cost.before = cost.before_without_copy();
          begun = part.step_begun;
        }
        ++part.next_step;
        spend(part, part.clock, cost.before);
        const SimTime ready = part.clock;
        if (cost.after > SimTime()) spend(part, ready, cost.after);
        ++part.pending;
        Messenger::Send send;
        send.envelope = part.plane;
        send.receiver = receiver;
        send.token = token;
        send.bytes = step.bytes;
        send.begun = begun;
        send.ready = ready;
        if (!messenger_.send(send).under_way) --parts_[number].pending;
        break;
      }
      case ScheduleStep::Kind::reduce:
      case ScheduleStep::Kind::copy: {
        const bool combines = step.kind == ScheduleStep::Kind::reduce;
        const MemoryWork work{step.bytes,
                              combines ? machine_.messages.reduce_per_byte : machine_.messages.own_copy(),
                              combines ? MemoryWork::reduced : MemoryWork::copied};
        if (!may_slow(part, work))
          spend(part, part.clock, time_before_end(work.cost, work.bytes));
        else if (!done_in_memory(number, work))
          return false;
        ++parts_[number].next_step;
        break;
      }
      case ScheduleStep::Kind::fence:
        break;
    }
  }
  return true;
}

bool CollectiveRunner::may_slow(const Part& part, const MemoryWork& work) const {
  return machine_.memory && !part.background && !part.own_thread && !shares_processors_ && !machine_.kernel &&
         machine_.memory->may_slow(machine_.host_of[index(part.rank)], work);
}

/// @return whether the next step's work has been done; else it has begun, or will at the part's clock
bool CollectiveRunner::done_in_memory(std::uint32_t number, const MemoryWork& work) {
  if (std::exchange(parts_[number].step_copied, false)) return true;
  parts_[number].step_copied = true;
  parts_[number].step_begun = parts_[number].clock;
  use_memory(number, work);
  return false;
}

void CollectiveRunner::use_memory(std::uint32_t number, const MemoryWork& work) {
  await_processor(parts_[number]);
  const SimTime at = parts_[number].clock;
  if (at > machine_.events->now()) {
    due_[number] = work;
    return machine_.events->schedule(at, *this, number);
  }
  begin_in_memory(number, work);
}

/// A part whose rank was killed goes on all the same, as the others need its messages.
void CollectiveRunner::begin_in_memory(std::uint32_t number, const MemoryWork& work) {
  Part& part = parts_[number];
  assert(part.starting && !part.in_memory);
  part.in_memory = machine_.memory->begin(machine_.host_of[index(part.rank)], work, *this, number);
}

/// The processor has been at it until now.
void CollectiveRunner::memory_done(std::uint64_t what, [[maybe_unused]] CopyId copy) {
  const auto number = static_cast<std::uint32_t>(what);
  Part& part = parts_[number];
  assert(part.starting && part.in_memory == copy);
  part.in_memory.reset();
  const SimTime now = machine_.events->now();
  part.clock = now;
  spend(part, now, SimTime());
  work_on(number);
  if (!parts_[number].starting) run(number);
}

}  // namespace morgana
