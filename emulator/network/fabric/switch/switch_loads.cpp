#include "emulator/network/fabric/switch/switch_loads.h"

namespace morgana::fabric {

SimTime SwitchLoads::load(PortNumber output, Bytes waiting, SimTime now) const {
  const CableChannel out = channel(output);
  Links& links = core_.links;
  if (links.is_down(out)) return load_when_down;
  const BitRate rate = links.rate(out);
  SimTime wait = rate.time_for(waiting);
  if (const SimTime free = links.free_at(out); free > now) wait += free - now;
  if (links.has_credits()) wait += rate.time_for(Bytes(links.units_out(out, now) * links.unit_bytes()));
  return wait;
}

SimTime SwitchLoads::seen_by_others(PortNumber output, Bytes waiting, SimTime now) const {
  if (history_) return late_load(output, waiting, now);
  return before_[output].at == now && !core_.links.is_down(channel(output)) ? before_[output].wait
                                                                            : load(output, waiting, now);
}

void SwitchLoads::note(PortNumber output, Bytes waiting, SimTime now) {
  before_[output] = {now, load(output, waiting, now)};
  keep_history(output, waiting, now, now);
}

LoadHistory::State SwitchLoads::state(PortNumber output, Bytes waiting, SimTime until, SimTime now) const {
  const CableChannel out = channel(output);
  return {.until = until,
          .waiting = waiting.count(),
          .free = core_.links.free_at(out),
          .taken = core_.links.units_out(out, now) + history_->given(output, now),
          .down = core_.links.is_down(out)};
}

void SwitchLoads::keep_history(PortNumber output, Bytes waiting, SimTime until, SimTime now) {
  if (history_) history_->keep(output, state(output, waiting, until, now), now);
}

/// As the news says that it was.
SimTime SwitchLoads::late_load(PortNumber output, Bytes waiting, SimTime now) const {
  const auto then = core_.parameters.loads.seen(now);
  if (!then) return {};
  const LoadHistory::State* const kept = history_->find(output, *then);
  const LoadHistory::State known = kept != nullptr ? *kept : state(output, waiting, now, now);
  if (known.down) return load_when_down;
  const BitRate rate = core_.links.rate(channel(output));
  SimTime wait = rate.time_for(Bytes(known.waiting));
  if (known.free > *then) wait += known.free - *then;
  const std::int64_t out = known.taken - history_->given(output, *then);
  return wait + rate.time_for(Bytes(out * core_.links.unit_bytes()));
}

}  // namespace morgana::fabric
