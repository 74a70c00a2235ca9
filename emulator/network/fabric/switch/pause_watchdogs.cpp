#include "emulator/network/fabric/switch/pause_watchdogs.h"

#include <algorithm>
#include <bit>
#include <cstddef>

namespace morgana::fabric {

PauseWatchdogs::PauseWatchdogs(SimTime patience, SimTime restore, unsigned ports, unsigned groups)
    : patience_(patience),
      restore_(restore),
      groups_(groups),
      paused_(ports),
      filled_(ports),
      given_up_(ports),
      awaited_(ports),
      since_(std::size_t{ports} * groups),
      filled_since_(since_.size()),
      counts_(ports) {}

void PauseWatchdogs::push(const Due& due) {
  due_.push_back(due);
  std::push_heap(due_.begin(), due_.end());
}

/// One look for each queue: what it is about begins later at most, and then it is looked at again.
void PauseWatchdogs::look_at(PortNumber output, unsigned group, SimTime at) {
  if ((awaited_[output] & only(group)) != 0) return;
  awaited_[output] |= only(group);
  push({at, Due::What::look, output, group, 0});
}

PauseWatchdogs::Due PauseWatchdogs::take() {
  std::pop_heap(due_.begin(), due_.end());
  const Due first = due_.back();
  due_.pop_back();
  return first;
}

void PauseWatchdogs::told(PortNumber output, GroupSet paused, SimTime at) {
  push({at, Due::What::told, output, 0, paused});
}

void PauseWatchdogs::pause(const Due& told) {
  const PortNumber output = told.output;
  for (GroupSet left = told.paused ^ paused_[output]; left != 0; left &= left - 1) {
    const auto group = static_cast<unsigned>(std::countr_zero(left));
    since_[output * groups_ + group] = told.at;
    const bool begins = (told.paused & only(group)) != 0;
    if (begins && (filled_[output] & only(group)) != 0) look_at(output, group, told.at + patience_);
    if (!begins && (given_up_[output] & only(group)) != 0) look_at(output, group, told.at + restore_);
  }
  paused_[output] = told.paused;
}

void PauseWatchdogs::filled(PortNumber output, unsigned group, SimTime now) {
  filled_[output] |= only(group);
  filled_since_[output * groups_ + group] = now;
  if ((paused_[output] & only(group)) != 0) look_at(output, group, now + patience_);
}

void PauseWatchdogs::emptied(PortNumber output, unsigned group) {
  filled_[output] &= ~only(group);
}

/// Restores a queue, or gives it up, if it has been so for long enough. @return whether it is given up now
bool PauseWatchdogs::is_given_up(const Due& due, SimTime now) {
  const GroupSet one = only(due.group);
  const std::size_t queue = due.output * groups_ + due.group;
  awaited_[due.output] &= ~one;
  const bool paused = (paused_[due.output] & one) != 0, given_up = (given_up_[due.output] & one) != 0;
  const bool waits = given_up ? !paused : paused && (filled_[due.output] & one) != 0;
  if (!waits) return false;
  const SimTime at =
      given_up ? since_[queue] + restore_ : std::max(since_[queue], filled_since_[queue]) + patience_;
  if (at > now) {
    look_at(due.output, due.group, at);
    return false;
  }
  given_up_[due.output] ^= one;
  if (!given_up) ++counts_[due.output];
  return !given_up;
}

}  // namespace morgana::fabric
