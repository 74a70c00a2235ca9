#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace morgana::testing {

/// What an event does: costs cycles, and raises other events at its end, as often as it may.
struct ScriptedEvent {
  std::int64_t cycles = 0;
  std::vector<unsigned> raises;
};
struct ProcessorScript {
  std::int64_t cycle = 1;  // ps
  std::int64_t dispatch = 1;
  std::vector<ScriptedEvent> events = {};                        // by number, which is the priority
  std::vector<std::pair<std::int64_t, unsigned>> arrivals = {};  // time in ps and event; sorted
  int raises_left = 0;                                           // by handlers, in all
  bool in_turn = false;  // the pending event behind the last one, cyclically; else the first
};
struct HandlerRun {
  unsigned event;
  std::int64_t begun, ended;  // ps
  bool operator==(const HandlerRun&) const = default;
};

/// The event handler picosecond by picosecond: at each, what arrives is set pending, then a handler that is
/// through ends, then, if nothing runs, the pending event that is next is looked up, a dispatch before
/// its handler begins.
inline std::vector<HandlerRun> run_by_picoseconds(ProcessorScript script, std::int64_t until) {
  std::vector<HandlerRun> runs;
  std::vector<bool> pending(script.events.size(), false);
  std::optional<unsigned> running, last;
  std::int64_t begins = 0, ends = 0;
  std::size_t arrived = 0;
  for (std::int64_t now = 0; now <= until; ++now) {
    for (; arrived < script.arrivals.size() && script.arrivals[arrived].first == now; ++arrived)
      pending[script.arrivals[arrived].second] = true;
    if (running && now == begins) {
      pending[*running] = false;
      ends = now + script.events[*running].cycles * script.cycle;
    }
    if (running && now >= begins && now == ends) {
      runs.push_back({*running, begins, ends});
      for (const unsigned next : script.events[*running].raises)
        if (script.raises_left-- > 0) pending[next] = true;
      running.reset();
    }
    if (running) continue;
    const std::size_t start = script.in_turn && last ? *last + 1 : 0;
    for (std::size_t step = 0; step < pending.size() && !running; ++step)
      if (pending[(start + step) % pending.size()])
        running = static_cast<unsigned>((start + step) % pending.size());
    if (!running) continue;
    last = running;
    begins = now + script.dispatch * script.cycle;
  }
  return runs;
}

}  // namespace morgana::testing
