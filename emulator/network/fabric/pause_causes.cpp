#include "emulator/network/fabric/pause_causes.h"

#include <algorithm>

namespace morgana::fabric {

void PauseCauses::pause(CableChannel channel, unsigned group, unsigned traffic_class, SimTime effect,
                        CableChannel cause) {
  Hold& one = hold(channel, group);
  if (one.open) return;
  one.before += one.end - one.begin;
  one.begin = one.end = effect;
  one.open = true;
  one.cause = cause;
  one.traffic_class = traffic_class;
  ++one.pauses;
  Root& root = roots_[{cause, traffic_class}];
  ++root.pauses;
  ++root.links[channel];
}

void PauseCauses::resume(CableChannel channel, unsigned group, SimTime effect) {
  Hold& one = hold(channel, group);
  if (!one.open) return;
  one.open = false;
  one.end = std::max(one.begin, effect);
  roots_[{one.cause, one.traffic_class}].paused += one.end - one.begin;
}

std::optional<CableChannel> PauseCauses::cause(CableChannel channel, unsigned group, SimTime since) const {
  const Hold& one = hold(channel, group);
  if (one.pauses == 0 || (!one.open && one.end <= since)) return std::nullopt;
  return one.cause;
}

PauseCauses::Total PauseCauses::total(CableChannel channel, unsigned group, SimTime until) const {
  const Hold& one = hold(channel, group);
  const SimTime end = one.open ? until : std::min(one.end, until);
  const SimTime last = std::max(SimTime(), end - one.begin);
  return {one.pauses, one.before + last, one.open ? last : SimTime(), one.cause, one.traffic_class};
}

}  // namespace morgana::fabric
