#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <utility>

#include "tests/network/myrinet/reference_nic.h"
#include "tests/network/myrinet/reference_switch.h"

namespace morgana::testing {

/// Worms that went flit by flit: the oracle for the Myrinet model. Every flit starts, arrives and leaves its
/// wire at an instant of its own, and at every such instant all wires, switches and hosts are looked at, in
/// phases, so that nothing depends on an order within an instant. Nothing is predicted.
class ReferenceFlits {
 public:
  explicit ReferenceFlits(WormCase given) : given_(std::move(given)) {
    const WormGraph& graph = given_.graph;
    for (std::uint32_t w = 0; w < graph.channels(); ++w) wires_.emplace_back(world_, w);
    for (const std::uint32_t ports : graph.ports) switches_.emplace_back(world_, ports);
    for (std::size_t t = 0; t < graph.trunks.size(); ++t) {
      const auto [a, b] = graph.trunks[t];
      switches_[a.number].attach_output(a.port, wires_[2 * t]);
      switches_[b.number].attach_input(b.port, wires_[2 * t]);
      switches_[b.number].attach_output(b.port, wires_[2 * t + 1]);
      switches_[a.number].attach_input(a.port, wires_[2 * t + 1]);
    }
    for (std::uint32_t h = 0; h < graph.hosts.size(); ++h) {
      const auto [number, port] = graph.hosts[h];
      switches_[number].attach_input(port, wires_[graph.from_host(h)]);
      switches_[number].attach_output(port, wires_[graph.to_host(h)], true);
      nics_.emplace_back(world_, h, wires_[graph.from_host(h)], wires_[graph.to_host(h)]);
    }
  }
  ReferenceFlits(const ReferenceFlits&) = delete;
  ReferenceFlits& operator=(const ReferenceFlits&) = delete;

  WormResults run() {
    world_.results.fates.assign(given_.plan.size(), {});
    world_.results.delivered_to.assign(given_.plan.size(), PlannedWorm::anywhere);
    world_.corrupted.assign(given_.plan.size(), false);
    for (const PlannedWorm& worm : given_.plan) world_.look_at(worm.at.ps());
    for (const ChannelDeath& death : given_.deaths) world_.look_at(death.at.ps());
    for (const InterfaceStop& one : given_.stops) world_.look_at(one.at.ps());
    while (!world_.instants.empty()) {
      world_.now = *world_.instants.begin();
      world_.instants.erase(world_.instants.begin());
      instant();
    }
    WormResults results = world_.results;
    for (WormFate& fate : results.fates) {
      // A front that was cut off may end before the source has sent the rest.
      if (fate.times.lost) fate.times.lost = std::max(fate.times.lost, fate.times.departed);
      if (!fate.times.departed) fate = {};
    }
    for (const Wire& wire : wires_) results.channels.push_back(wire.counts());
    for (const FlitNic& nic : nics_) results.pools.push_back(nic.counts());
    for (const FlitNic& nic : nics_) {
      results.notes.push_back(nic.notes());
      std::sort(results.notes.back().begin(), results.notes.back().end());
    }
    return results;
  }

  /// The most flits that any slack buffer held at the end of an instant.
  std::int64_t most_in_a_buffer() const {
    std::int64_t most = 0;
    for (const FlitSwitch& one : switches_) most = std::max(most, one.most_held());
    return most;
  }

  /// Connections that were broken, in all, and after the first flit.
  std::pair<std::size_t, std::size_t> cuts() const {
    std::pair<std::size_t, std::size_t> sum;
    for (const FlitSwitch& one : switches_) {
      sum.first += one.cuts();
      sum.second += one.cuts_within_packets();
    }
    return sum;
  }

 private:
  void instant() {
    // What has become true: what ends makes room before anything comes.
    for (const ChannelDeath& death : given_.deaths)
      if (death.at.ps() == world_.now) wires_[death.channel].die();
    for (Wire& wire : wires_) wire.clear();
    for (FlitSwitch& one : switches_) one.clear();
    for (FlitNic& nic : nics_) nic.clear();
    for (Wire& wire : wires_) wire.hear_controls();
    for (FlitSwitch& one : switches_) one.receive();
    for (FlitNic& nic : nics_) nic.receive();
    for (; injected_ < given_.plan.size() && given_.plan[injected_].at.ps() <= world_.now; ++injected_)
      nics_[given_.plan[injected_].from].inject(static_cast<std::uint32_t>(injected_));
    for (FlitSwitch& one : switches_) one.cut_stalled();
    // Requests.
    for (FlitSwitch& one : switches_) one.request();
    // Grants.
    for (FlitSwitch& one : switches_) one.grant();
    for (FlitNic& nic : nics_) nic.choose();
    // Starts.
    for (FlitSwitch& one : switches_) one.start();
    for (FlitNic& nic : nics_) nic.start();
    // Thresholds.
    for (FlitSwitch& one : switches_) one.compare_with_thresholds();
    for (const InterfaceStop& one : given_.stops)
      if (one.at.ps() == world_.now) wires_[given_.graph.to_host(one.host)].control(one.stop);
  }

  WormCase given_;
  FlitWorld world_{given_, given_.parameters, 0, {}, {}, {}};
  std::deque<Wire> wires_;
  std::deque<FlitSwitch> switches_;
  std::deque<FlitNic> nics_;
  std::size_t injected_ = 0;
};

}  // namespace morgana::testing
