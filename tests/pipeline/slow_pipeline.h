#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/pipeline/stage.h"

namespace morgana::pipeline::test {

/// The plain reference: a clock goes from one event to the next, stages are busy or free, fragments stand in
/// queues. Nothing of it is computed from a formula but how long one fragment occupies one stage.
inline SimTime carried_event_by_event(std::span<const Stage> stages, const std::vector<Bytes>& sizes) {
  struct State {
    std::vector<std::size_t> queue;  ///< fragments that wait for the stage, the next one first
    bool busy = false;
    std::size_t fragment = 0;
    SimTime until;
  };
  std::vector<State> states(stages.size());
  for (std::size_t i = 0; i < sizes.size(); ++i) states.front().queue.push_back(i);
  SimTime now;
  for (std::size_t arrived = 0; arrived < sizes.size();) {
    for (std::size_t j = 0; j < stages.size(); ++j) {
      State& state = states[j];
      if (state.busy || state.queue.empty()) continue;
      state.busy = true;
      state.fragment = state.queue.front();
      state.queue.erase(state.queue.begin());
      state.until = now + stages[j].time_for(sizes[state.fragment]);
    }
    SimTime next = SimTime::max();
    for (const State& state : states)
      if (state.busy) next = std::min(next, state.until);
    now = next;
    for (std::size_t j = 0; j < stages.size(); ++j) {
      State& state = states[j];
      if (!state.busy || state.until != now) continue;
      state.busy = false;
      if (j + 1 == stages.size())
        ++arrived;
      else
        states[j + 1].queue.push_back(state.fragment);
    }
  }
  return now;
}

}  // namespace morgana::pipeline::test
