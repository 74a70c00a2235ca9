#include "emulator/network/fabric/switch/load_history.h"

#include <algorithm>

#include "emulator/network/fabric/switch/fabric_switch.h"

namespace morgana::fabric {

std::optional<SimTime> LoadNews::seen(SimTime now) const {
  const SimTime sent = now - delay;
  if (sent < SimTime()) return std::nullopt;
  return period > SimTime() ? SimTime::from_ps(sent.ps() / period.ps() * period.ps()) : sent;
}

void LoadHistory::keep(PortNumber output, const State& state, SimTime now) {
  Output& of = outputs_[output];
  if (!of.states.empty() && of.states.back().until >= state.until) return;
  of.states.push_back(state);
  if (const auto oldest = news_.seen(now)) forget(of, *oldest);
}

void LoadHistory::forget(Output& output, SimTime before) {
  while (!output.states.empty() && output.states.front().until < before) output.states.pop_front();
  for (; !output.given.empty() && output.given.front().at <= before; output.given.pop_front())
    output.given_before += output.given.front().units;
}

void LoadHistory::give(PortNumber output, SimTime at, std::int64_t units) {
  std::deque<Given>& given = outputs_[output].given;
  auto place = given.end();
  while (place != given.begin() && std::prev(place)->at > at) --place;
  given.insert(place, {at, units});
}

std::int64_t LoadHistory::given(PortNumber output, SimTime then) const {
  const Output& of = outputs_[output];
  std::int64_t sum = of.given_before;
  for (const Given& one : of.given) {
    if (one.at > then) break;
    sum += one.units;
  }
  return sum;
}

const LoadHistory::State* LoadHistory::find(PortNumber output, SimTime then) const {
  const std::deque<State>& states = outputs_[output].states;
  const auto found = std::ranges::lower_bound(states, then, {}, &State::until);
  return found == states.end() ? nullptr : &*found;
}

// FabricSwitch: its loads, as other switches learn of them.

LoadHistory::State FabricSwitch::load_state(PortNumber output, SimTime until) const {
  const CableChannel out = channel(output);
  return {.until = until,
          .waiting = port_[output].waiting_bytes,
          .free = links().free_at(out),
          .taken = links().units_out(out, now_) + history_->given(output, now_),
          .down = links().is_down(out)};
}

void FabricSwitch::keep_history(PortNumber output, SimTime until) {
  if (history_) history_->keep(output, load_state(output, until), now_);
}

void FabricSwitch::credits_come(PortNumber output, SimTime at, std::int64_t units) {
  if (history_) history_->give(output, at, units);
}

/// As the news says that it was.
SimTime FabricSwitch::late_load(PortNumber output, SimTime now) {
  now_ = now;
  const auto then = core_.parameters.loads.seen(now);
  if (!then) return {};
  const LoadHistory::State* const kept = history_->find(output, *then);
  const LoadHistory::State state = kept != nullptr ? *kept : load_state(output, now);
  if (state.down) return load_when_down;
  const BitRate rate = links().rate(channel(output));
  SimTime wait = rate.time_for(Bytes(state.waiting));
  if (state.free > *then) wait += state.free - *then;
  const std::int64_t out = state.taken - history_->given(output, *then);
  return wait + rate.time_for(Bytes(out * links().unit_bytes()));
}

}  // namespace morgana::fabric
