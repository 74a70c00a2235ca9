// Threads that poll in vain: one polls several times before the next one.

#include <algorithm>

#include "pvmshim/channel/processor_clock.h"
#include "pvmshim/clock/thread_turns.h"

namespace morgana {
namespace {

/// Who computes for longer after its poll holds up no other.
constexpr SimTime longest_between_polls = SimTime::from_ps(20'000'000);
/// Nor who has held up others for so long, in real time.
constexpr std::int64_t longest_between_polls_ns = 100'000;

}  // namespace

/// The thread whose polls in vain have had the last turns, if it may poll once more before others: their
/// polls have failed, too, and nothing has come for the rank from the first of them to its latest one.
/// Without measured computing nothing that this looks at depends on real time; with it, others wait for no
/// question to the emulator.
ProgramThread* ThreadTurns::polls_on() {
  ProgramThread* poller = nullptr;
  for (ProgramThread& thread : threads_.all())
    if (thread.number == poller_) poller = &thread;
  if (poller == nullptr || !poller->polled_at || polls_in_turn_ >= most_polls_in_turn) return nullptr;
  const bool others_found_nothing = std::ranges::all_of(threads_.all(), [&](const ProgramThread& thread) {
    return &thread == poller || thread.place != ProgramThread::Place::parked ||
           (thread.polled_at == poller->polled_at && !thread.only_comes);
  });
  if (!others_found_nothing || !measured_) return others_found_nothing ? poller : nullptr;
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
