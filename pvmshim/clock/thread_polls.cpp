// Threads that poll in vain: one polls several times before the next one.

#include <algorithm>

#include "pvmshim/channel/processor_clock.h"
#include "pvmshim/clock/thread_turns.h"

namespace morgana {
namespace {

/// So often a thread polls in vain before others do that poll in vain, too. Each time another one is woken.
constexpr int polls_in_turn = 64;
/// A poll names no more requests than this, of all that other threads wait for. Where there are more these
/// are looked after apart.
constexpr std::size_t most_named = 1024;
/// Who computes for longer after its poll holds up no other.
constexpr SimTime longest_between_polls = SimTime::from_ps(20'000'000);
/// Nor who has held up others for so long, in real time.
constexpr std::int64_t longest_between_polls_ns = 100'000;

}  // namespace

void ThreadTurns::name_what_others_wait_for(Operation& probe) {
  const Lock lock(threads_);
  const auto waits = [](const ProgramThread& thread) {
    return thread.place == ProgramThread::Place::waiting;
  };
  std::size_t named = 0, waiting = 0;
  names_all_waits_ = true;
  for (const ProgramThread& thread : threads_.all()) {
    if (!waits(thread)) continue;
    named += thread.wait.requests.size();
    ++waiting;
    names_all_waits_ = names_all_waits_ && thread.wait.kind == OperationKind::wait && named <= most_named;
  }
  if (!names_all_waits_) return;
  auto& requests = probe.requests;
  for (const ProgramThread& thread : threads_.all())
    if (waits(thread))
      requests.insert(requests.end(), thread.wait.requests.begin(), thread.wait.requests.end());
  if (waiting <= 1) return;  // each once
  std::ranges::sort(requests);
  requests.erase(std::unique(requests.begin(), requests.end()), requests.end());
}

void ThreadTurns::has_looked_for_all() {
  if (!names_all_waits_) return;
  looked_at_ = std::max(looked_at_, rank_.reached());
  wait_is_new_ = false;
}

/// The thread whose polls in vain have had the last turns, if it may poll once more before others.
ProgramThread* ThreadTurns::polls_on() {
  ProgramThread* poller = nullptr;
  for (ProgramThread& thread : threads_.all()) {
    if (thread.number == poller_)
      poller = &thread;
    else if (thread.place == ProgramThread::Place::parked && (!thread.polls_in_vain || thread.only_comes))
      return nullptr;
  }
  if (poller == nullptr || !poller->polls_in_vain || polls_in_turn_ >= polls_in_turn) return nullptr;
  const auto quiet = rank_.quiet();
  const SimTime time =
      poller->place == ProgramThread::Place::parked ? poller->since : threads_.time_of(*poller);
  return quiet && time < quiet->until ? poller : nullptr;
}

/// Whether others wait for that one, which runs in the program: for a moment of real time only. It may spin
/// there until one of them has done something. Without measured computing nobody runs when a turn is given.
bool ThreadTurns::somebody_polls_on() {
  ProgramThread* const poller = measured_ ? polls_on() : nullptr;
  if (poller == nullptr || poller->place != ProgramThread::Place::program || poller->is_passed_over)
    return false;
  const std::int64_t wall = read_clock_ns(CLOCK_MONOTONIC).value_or(0);
  if (held_up_since_ < 0) held_up_since_ = wall;
  const SimTime computed = threads_.time_of(*poller) - SimTime::from_ps(poller->left_ps);
  return computed < longest_between_polls && wall - held_up_since_ < longest_between_polls_ns &&
         poller->in_kernel.what_does(poller->kernel_number) == ThreadDoes::run;
}

ProgramThread* ThreadTurns::first_parked() {
  ProgramThread* first = nullptr;
  for (ProgramThread& thread : threads_.all())
    if (thread.place == ProgramThread::Place::parked && thread.serves &&
        (first == nullptr || thread.since < first->since))
      first = &thread;
  return first;
}

}  // namespace morgana
