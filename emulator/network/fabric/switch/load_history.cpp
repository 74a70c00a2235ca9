#include "emulator/network/fabric/switch/load_history.h"

#include <algorithm>
#include <iterator>
#include <optional>

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

}  // namespace morgana::fabric
