#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/network/fddi/ring.h"
#include "tests/network/harness.h"

namespace morgana::testing {

/// A token that goes from station to station for as long as something is to be sent, one after the other: the
/// oracle for FddiRing. Its sizes are its own.
class ReferenceFddi {
 public:
  ReferenceFddi(const FddiParameters& parameters, std::size_t ports)
      : parameters_(parameters), queues_(ports), due_(ports) {}

  /// @param plan  sorted by time
  std::vector<Fate> run(const std::vector<Planned>& plan) {
    plan_ = plan;
    fates_.assign(plan.size(), {});
    const std::int64_t latency = parameters_.station_latency.ps(), fibre = parameters_.propagation.ps();
    for (std::size_t i = 0; i < due_.size(); ++i)
      due_[i] = static_cast<std::int64_t>(i) * (latency + fibre) + parameters_.target_rotation.ps();
    std::int64_t time = 0;
    for (std::size_t at = 0; sent_ < plan.size(); at = (at + 1) % due_.size()) {
      look_for_arrivals(time);
      if (time >= due_[at]) {
        due_[at] += parameters_.target_rotation.ps();
        time += latency + fibre;
        continue;
      }
      const std::int64_t hold_until = due_[at];
      due_[at] = time + parameters_.target_rotation.ps();
      if (queues_[at].empty()) {
        time += latency + fibre;
        continue;
      }
      time += on_wire(8 + 1 + 1 + 1);
      while (!queues_[at].empty() && time < hold_until) {
        const std::size_t unit = queues_[at].front();
        queues_[at].pop_front();
        time += on_wire(8 + 1 + 1 + 6 + 6 + plan[unit].bytes + 4 + 2);
        fates_[unit].departed = SimTime::from_ps(time);
        ++sent_;
        std::int64_t arrival = time + fibre;
        for (std::size_t on_the_way = (at + 1) % due_.size(); on_the_way != plan[unit].to;
             on_the_way = (on_the_way + 1) % due_.size())
          arrival += latency + fibre;
        fates_[unit].delivered = SimTime::from_ps(arrival);
        look_for_arrivals(time);
      }
      time += fibre;
    }
    return fates_;
  }

 private:
  std::int64_t on_wire(std::int64_t bytes) const { return parameters_.rate.time_for(Bytes(bytes)).ps(); }
  void look_for_arrivals(std::int64_t now) {
    for (; arrived_ < plan_.size() && plan_[arrived_].at.ps() <= now; ++arrived_)
      queues_[plan_[arrived_].from].push_back(arrived_);
  }

  FddiParameters parameters_;
  std::vector<std::deque<std::size_t>> queues_;
  std::vector<std::int64_t> due_;
  std::vector<Planned> plan_;
  std::vector<Fate> fates_;
  std::size_t arrived_ = 0, sent_ = 0;
};

}  // namespace morgana::testing
