#pragma once

#include <cstdint>

#include "emulator/core/event_queue.h"

namespace morgana {

/// A timer that goes on for ever, as a protocol's, or that which samples a traced run's network.
class EndlessTimer final : private EventHandler {
 public:
  explicit EndlessTimer(EventQueue& events) : events_(events) { schedule(); }

 private:
  void handle(std::uint64_t) override {
    events_.upkeep_handled();
    schedule();
  }
  void schedule() { events_.schedule_upkeep(events_.now() + SimTime::from_ps(10'000'000), *this); }

  EventQueue& events_;
};

}  // namespace morgana
