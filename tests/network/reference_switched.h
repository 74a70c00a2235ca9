#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/network/ethernet/switched.h"
#include "tests/network/harness.h"

namespace morgana::testing {

/// A switch and its links, one step after the other: the oracle for SwitchedEthernet. Every transmission has
/// a beginning and an end, every queue is a queue. Its sizes are its own, not those of frame.h.
class ReferenceSwitch {
 public:
  ReferenceSwitch(const SwitchedEthernetParameters& parameters, std::size_t ports)
      : parameters_(parameters), hosts_(ports), outputs_(ports) {}

  std::vector<Fate> run(const std::vector<Planned>& plan) {
    plan_ = plan;
    fates_.assign(plan.size(), {});
    for (std::size_t unit = 0; unit < plan.size(); ++unit)
      later(plan[unit].at.ps(), arrival, unit, [this, unit] {
        hosts_[plan_[unit].from].queue.push_back(unit);
        pump_host(hosts_[plan_[unit].from]);
      });
    while (!agenda_.empty()) {
      const auto next = agenda_.begin();
      now_ = std::get<0>(next->first);
      const auto step = std::move(next->second);
      agenda_.erase(next);
      step();
    }
    return fates_;
  }

 private:
  // A frame that leaves makes room for one that comes just then; frames that come together do so in the
  // order of injection, the order of their numbers.
  enum Order { end_of_transmission, arrival };
  struct Sender {
    std::deque<std::size_t> queue;
    bool taken = false;         // by a frame or the gap after it
    std::size_t in_buffer = 0;  // the one in transmission included
  };

  SimTime wire(std::size_t unit) const {
    return parameters_.rate.time_for(Bytes(8 + 14 + std::max<std::int64_t>(plan_[unit].bytes, 46) + 4));
  }
  std::int64_t gap() const { return parameters_.rate.time_for(Bytes(12)).ps(); }
  void later(std::int64_t at, Order order, std::size_t unit, std::function<void()> step) {
    agenda_.emplace(std::tuple(at, order, unit), std::move(step));
  }

  void pump_host(Sender& host) {
    if (host.taken || host.queue.empty()) return;
    const std::size_t unit = host.queue.front();
    host.queue.pop_front();
    host.taken = true;
    later(now_ + wire(unit).ps(), end_of_transmission, unit, [this, unit, &host] {
      fates_[unit].departed = SimTime::from_ps(now_);
      later(now_ + gap(), end_of_transmission, unit, [this, &host] {
        host.taken = false;
        pump_host(host);
      });
      later(now_ + parameters_.propagation.ps(), arrival, unit, [this, unit] {
        later(now_ + parameters_.forwarding.ps(), arrival, unit, [this, unit] { offer(unit); });
      });
    });
  }

  void offer(std::size_t unit) {
    Sender& output = outputs_[plan_[unit].to];
    if (parameters_.buffer_frames > 0 &&
        static_cast<std::int64_t>(output.in_buffer) == parameters_.buffer_frames) {
      fates_[unit].lost = SimTime::from_ps(now_);
      return;
    }
    ++output.in_buffer;
    output.queue.push_back(unit);
    pump_output(output);
  }

  void pump_output(Sender& output) {
    if (output.taken || output.queue.empty()) return;
    const std::size_t unit = output.queue.front();
    output.queue.pop_front();
    output.taken = true;
    later(now_ + wire(unit).ps(), end_of_transmission, unit, [this, unit, &output] {
      --output.in_buffer;
      later(now_ + gap(), end_of_transmission, unit, [this, &output] {
        output.taken = false;
        pump_output(output);
      });
      fates_[unit].delivered = SimTime::from_ps(now_) + parameters_.propagation;
    });
  }

  SwitchedEthernetParameters parameters_;
  std::vector<Sender> hosts_, outputs_;
  std::vector<Planned> plan_;
  std::vector<Fate> fates_;
  std::multimap<std::tuple<std::int64_t, Order, std::size_t>, std::function<void()>> agenda_;
  std::int64_t now_ = 0;
};

}  // namespace morgana::testing
