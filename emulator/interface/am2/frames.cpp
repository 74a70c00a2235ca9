#include "emulator/interface/am2/frames.h"

#include <algorithm>
#include <cassert>

namespace morgana::am2 {

void Frames::add() {
  Endpoint& endpoint = endpoints_.emplace_back();
  if (used_ == parameters_.frames) return;
  ++used_;
  endpoint.residency = Residency::resident;
  endpoint.last_use = ++uses_;
}

void Frames::evict(EndpointNumber number) {
  Endpoint& endpoint = endpoints_[number];
  if (endpoint.residency != Residency::resident) return;
  endpoint.residency = Residency::unloading;
  endpoint.wanted = false;
  unloading_.push_back(number);
  unload_what_is_flushed();
}

void Frames::unload_what_is_flushed() {
  while (true) {
    const auto flushed = std::find_if(unloading_.begin(), unloading_.end(),
                                      [this](EndpointNumber number) { return user_.is_flushed(number); });
    if (flushed == unloading_.end()) return;
    const EndpointNumber number = *flushed;
    unloading_.erase(flushed);
    unload(number);
  }
}

void Frames::unload(EndpointNumber number) {
  const bool sends = user_.unload(number);
  endpoints_[number].residency = Residency::absent;
  --used_;
  ++unloads_;
  if (endpoints_[number].wanted || sends)
    want(number);
  else
    give();
}

void Frames::want(EndpointNumber number) {
  Endpoint& endpoint = endpoints_[number];
  endpoint.wanted = true;
  if (endpoint.residency != Residency::absent || endpoint.in_line) return;
  endpoint.in_line = true;
  line_.push_back(number);
  give();
}

void Frames::give() {
  if (loading_ || line_.empty()) return;
  if (used_ == parameters_.frames) {
    if (!unloading_.empty() || taking_one_) return;
    taking_one_ = true;
    const std::int64_t longest = parameters_.load.ps();
    const SimTime delay =
        SimTime::from_ps(static_cast<std::int64_t>(driver_.below(static_cast<std::uint64_t>(longest))));
    return events_.schedule(events_.now() + delay, *this, frame_is_taken);
  }
  loading_ = line_.front();
  line_.pop_front();
  Endpoint& endpoint = endpoints_[*loading_];
  endpoint.in_line = false;
  endpoint.residency = Residency::loading;
  ++used_;
  events_.schedule(events_.now() + parameters_.load, *this, endpoint_is_loaded);
}

/// A frame may have become free in the meantime, as endpoints are evicted for other reasons, too.
void Frames::take_one() {
  taking_one_ = false;
  if (loading_ || line_.empty()) return;  // loaded() comes back to give()
  if (used_ < parameters_.frames) return give();
  if (!unloading_.empty()) return;
  std::optional<EndpointNumber> least_recent;
  SimTime first = SimTime::max();
  for (EndpointNumber number = 0; number < endpoints_.size(); ++number) {
    const Endpoint& one = endpoints_[number];
    if (one.residency != Residency::resident) continue;
    first = std::min(first, one.stays_until);
    if (one.stays_until <= events_.now() &&
        (!least_recent || one.last_use < endpoints_[*least_recent].last_use))
      least_recent = number;
  }
  if (least_recent) return evict(*least_recent);  // comes back to give() when it is unloaded
  taking_one_ = true;
  events_.schedule(first, *this, frame_is_taken);
}

void Frames::loaded() {
  const EndpointNumber number = *loading_;
  loading_.reset();
  Endpoint& endpoint = endpoints_[number];
  assert(endpoint.residency == Residency::loading);
  endpoint.residency = Residency::resident;
  endpoint.moved = false;
  endpoint.last_use = ++uses_;
  endpoint.stays_until = events_.now() + parameters_.residence;
  start_evictions();
  user_.loaded(number);
  give();
}

/// At whole multiples of the time, while there is something to do.
void Frames::start_evictions() {
  if (evictions_run_ || parameters_.evict_every == SimTime()) return;
  evictions_run_ = true;
  const std::int64_t period = parameters_.evict_every.ps();
  events_.schedule_upkeep((events_.now().ps() / period + 1) * parameters_.evict_every, *this,
                          eviction_is_due);
}

void Frames::handle(std::uint64_t what) {
  if (what == frame_is_taken) return take_one();
  if (what == endpoint_is_loaded) return loaded();
  events_.upkeep_handled();
  evictions_run_ = false;
  for (EndpointNumber number = 0; number < endpoints_.size(); ++number)
    if (endpoints_[number].moved) evict(number);
}

}  // namespace morgana::am2
