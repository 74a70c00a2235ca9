#pragma once

#include <algorithm>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/routing/routing.h"
#include "emulator/topology/fault.h"
#include "emulator/topology/switch_graph.h"
#include "tests/network/fabric/reference_agenda.h"
#include "tests/network/fabric/reference_channels.h"
#include "tests/network/fabric/reference_fabric_switch.h"

namespace morgana::testing {

/// What routings see of the outputs' loads.
class ReferenceLoads final : public OutputLoads {
 public:
  ReferenceLoads(const SwitchGraph& graph, const Outages& outages, const fabric::FabricParameters& parameters,
                 const std::vector<ReferenceSwitchState>& switches, const ReferenceChannels& channels,
                 const ReferenceAgenda& agenda)
      : graph_(graph),
        outages_(outages),
        gap_(parameters.packet.gap),
        news_(parameters.loads),
        switches_(switches),
        channels_(channels),
        agenda_(agenda) {}

  /// Precedes all else that happens to packets at an instant: of other switches nothing later is seen.
  void keep() {
    if (kept_at_ == agenda_.now()) return;
    kept_at_ = agenda_.now();
    for_outputs([&](SwitchPort output) { before_[output] = wait_now(output); });
  }
  /// Where the packet is, for which the next questions are.
  void ask_at(SwitchId at) { asking_ = at; }

  /// All outputs as they have been since the instant before. @param with_now  and are now, before packets
  /// move
  void keep_history(bool with_now) {
    Past past{agenda_.now(), with_now, {}};
    for_outputs([&](SwitchPort output) { past.outputs[output] = output_now(output); });
    history_.push_back(std::move(past));
  }

  SimTime wait(SwitchPort output) const override {
    if (news_.is_late() && output.at != asking_) return late_wait(output);
    const bool here = output.at == asking_ || is_down(output);
    return here ? wait_now(output) : before_.at(output);
  }

 private:
  struct Output {
    Bytes waiting, absent;
    SimTime busy_until;
  };
  struct Past {
    SimTime at;
    bool with_at = false;  // else up to it
    std::map<SwitchPort, Output> outputs;
  };

  template <typename Visit>
  void for_outputs(Visit visit) const {
    for (SwitchId at = 0; at < graph_.switches(); ++at)
      for (unsigned port = 0; port < graph_.ports(at); ++port)
        if (const SwitchPort output{at, static_cast<PortNumber>(port)};
            !graph_.neighbour(output).is_nothing())
          visit(output);
  }

  /// News of each multiple of the period, or of every instant, is on its way for the delay.
  SimTime late_wait(SwitchPort output) const {
    SimTime then = agenda_.now() - news_.delay;
    if (then < SimTime()) return {};
    if (news_.period > SimTime()) then -= SimTime::from_ps(then.ps() % news_.period.ps());
    for (const Past& past : history_)
      if (then < past.at || (then == past.at && past.with_at))
        return wait_at(output, past.outputs.at(output), then);
    throw std::logic_error("nothing was kept");
  }

  bool is_down(SwitchPort output) const {
    return outages_.is_down(graph_.channel_from(output), agenda_.now());
  }
  SimTime wait_now(SwitchPort output) const { return wait_at(output, output_now(output), agenda_.now()); }
  SimTime wait_at(SwitchPort output, const Output& was, SimTime then) const {
    const CableChannel channel = graph_.channel_from(output);
    if (outages_.is_down(channel, then)) return SimTime::from_ps(1'000'000'000'000);
    return std::max(SimTime(), was.busy_until - then) + channels_.sending(channel, was.waiting) +
           channels_.sending(channel, was.absent);
  }
  Output output_now(SwitchPort output) const {
    const CableChannel channel = graph_.channel_from(output);
    Bytes waiting;
    const auto count = [&](const auto& queues) {
      for (const auto& [key, queue] : queues)
        for (const ReferenceVisitor& visitor : queue)
          if (visitor.output == output.port) waiting += visitor.size + gap_;
    };
    count(switches_[output.at].at_inputs);
    count(switches_[output.at].at_outputs);
    return {waiting, channels_.absent(channel), channels_.busy_until(channel)};
  }

  const SwitchGraph& graph_;
  const Outages& outages_;
  Bytes gap_;
  fabric::LoadNews news_;
  std::vector<Past> history_;
  const std::vector<ReferenceSwitchState>& switches_;
  const ReferenceChannels& channels_;
  const ReferenceAgenda& agenda_;
  SwitchId asking_ = 0;
  std::map<SwitchPort, SimTime> before_;
  SimTime kept_at_ = SimTime::from_ps(-1);
};

}  // namespace morgana::testing
