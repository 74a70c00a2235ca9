// The event queue: one event taken and one scheduled, at a steady size ("hold" model, exponential
// increments).

#include <benchmark/benchmark.h>

#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/random.h"

namespace morgana {
namespace {

class Holder : public EventHandler {
 public:
  Holder(EventQueue& events, std::size_t size) : events_(events), increments_(65536) {
    RandomStream random(1, "event benchmark");
    for (SimTime& increment : increments_) increment = random.exponential(SimTime::from_ps(1'000'000));
    for (std::size_t n = 0; n < size; ++n) handle(0);
  }
  void handle(std::uint64_t) override {
    events_.schedule(events_.now() + increments_[++drawn_ % increments_.size()], *this);
  }

 private:
  EventQueue& events_;
  std::vector<SimTime> increments_;
  std::size_t drawn_ = 0;
};

void event_queue_hold(benchmark::State& state) {
  EventQueue events;
  Holder holder(events, static_cast<std::size_t>(state.range(0)));
  for (auto _ : state) events.handle_next();
  state.SetItemsProcessed(state.iterations());
}
BENCHMARK(event_queue_hold)->Arg(100)->Arg(10'000)->Arg(1'000'000);

/// Everything in, then everything out.
void event_queue_fill_and_drain(benchmark::State& state) {
  struct Ignore : EventHandler {
    void handle(std::uint64_t) override {}
  } ignore;
  RandomStream random(1, "event benchmark");
  std::vector<SimTime> after(static_cast<std::size_t>(state.range(0)));
  for (SimTime& span : after) span = random.exponential(SimTime::from_ps(1'000'000'000));
  EventQueue events;
  for (auto _ : state) {
    const SimTime now = events.now();
    for (const SimTime span : after) events.schedule(now + span, ignore);
    while (!events.empty()) events.handle_next();
  }
  state.SetItemsProcessed(state.iterations() * state.range(0));
}
BENCHMARK(event_queue_fill_and_drain)->Arg(100)->Arg(10'000)->Arg(1'000'000);

}  // namespace
}  // namespace morgana
