#include "emulator/network/fabric/pause_watchdogs.h"

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
      since_(std::size_t{ports} * groups),
      filled_since_(since_.size()),
      counts_(ports) {}

void PauseWatchdogs::push(const Due& due) {
  due_.push_back(due);
  std::push_heap(due_.begin(), due_.end());
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
    if (begins && (filled_[output] & only(group)) != 0)
      push({told.at + patience_, Due::What::look, output, group, 0});
    if (!begins && (given_up_[output] & only(group)) != 0)
      push({told.at + restore_, Due::What::look, output, group, 0});
  }
  paused_[output] = told.paused;
}

void PauseWatchdogs::filled(PortNumber output, unsigned group, SimTime now) {
  filled_[output] |= only(group);
  filled_since_[output * groups_ + group] = now;
  if ((paused_[output] & only(group)) != 0) push({now + patience_, Due::What::look, output, group, 0});
}

void PauseWatchdogs::emptied(PortNumber output, unsigned group) {
  filled_[output] &= ~only(group);
}

/// Restores a queue, or gives it up, if it has been so for long enough. @return whether it is given up now
bool PauseWatchdogs::is_given_up(const Due& due, SimTime now) {
  const GroupSet one = only(due.group);
  const std::size_t queue = due.output * groups_ + due.group;
  const bool paused = (paused_[due.output] & one) != 0;
  if ((given_up_[due.output] & one) != 0) {
    if (!paused && since_[queue] + restore_ <= now) given_up_[due.output] &= ~one;
    return false;
  }
  if (!paused || (filled_[due.output] & one) == 0) return false;
  if (std::max(since_[queue], filled_since_[queue]) + patience_ > now) return false;
  given_up_[due.output] |= one;
  ++counts_[due.output];
  return true;
}

}  // namespace morgana::fabric
