#include "pvmshim/clock/thread_polls.h"

#include <algorithm>

#include "pvmshim/channel/processor_clock.h"

namespace morgana {
namespace {

/// Who computes for longer after its poll holds up no other.
constexpr SimTime longest_between_polls = SimTime::from_ps(20'000'000);
/// Nor who has held up others for so long, in real time.
constexpr std::int64_t longest_between_polls_ns = 100'000;

}  // namespace

void ThreadPolls::has_turn(ProgramThread& thread) {
  thread.polled_at.reset();
  thread.asks_nobody = false;
  in_turn_ = poller_ == thread.number ? std::min(in_turn_ + 1, most_in_turn) : 1;
  poller_ = thread.number;
  held_up_since_ = -1;
}

ProgramThread* ThreadPolls::next() {
  ProgramThread* poller = nullptr;
  for (ProgramThread& thread : threads_.all())
    if (thread.number == poller_) poller = &thread;
  if (poller == nullptr || !poller->polled_at || in_turn_ >= most_in_turn) return nullptr;
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

bool ThreadPolls::hold_up_others() {
  ProgramThread* const poller = measured_ ? next() : nullptr;
  if (poller == nullptr || poller->place != ProgramThread::Place::program || poller->is_passed_over)
    return false;
  const std::int64_t wall = read_clock_ns(CLOCK_MONOTONIC).value_or(0);
  if (held_up_since_ < 0) held_up_since_ = wall;
  const SimTime computed = threads_.time_of(*poller) - SimTime::from_ps(poller->left_ps);
  return computed < longest_between_polls && wall - held_up_since_ < longest_between_polls_ns &&
         poller->in_kernel.what_does(poller->kernel_number) == ThreadDoes::run;
}

}  // namespace morgana
