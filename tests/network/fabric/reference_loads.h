#pragma once

#include <algorithm>
#include <map>
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
  ReferenceLoads(const SwitchGraph& graph, const Outages& outages, const fabric::PacketFormat& format,
                 const std::vector<ReferenceSwitchState>& switches, const ReferenceChannels& channels,
                 const ReferenceAgenda& agenda)
      : graph_(graph),
        outages_(outages),
        gap_(format.gap),
        switches_(switches),
        channels_(channels),
        agenda_(agenda) {}

  /// Precedes all else that happens to packets at an instant: of other switches nothing later is seen.
  void keep() {
    if (kept_at_ == agenda_.now()) return;
    kept_at_ = agenda_.now();
    for (SwitchId at = 0; at < graph_.switches(); ++at)
      for (unsigned port = 0; port < graph_.ports(at); ++port)
        if (const SwitchPort output{at, static_cast<PortNumber>(port)};
            !graph_.neighbour(output).is_nothing())
          before_[output] = wait_now(output);
  }
  /// Where the packet is, for which the next questions are.
  void ask_at(SwitchId at) { asking_ = at; }

  SimTime wait(SwitchPort output) const override {
    const bool here = output.at == asking_ || is_down(output);
    return here ? wait_now(output) : before_.at(output);
  }

 private:
  bool is_down(SwitchPort output) const {
    return outages_.is_down(graph_.channel_from(output), agenda_.now());
  }
  SimTime wait_now(SwitchPort output) const {
    const CableChannel channel = graph_.channel_from(output);
    if (is_down(output)) return SimTime::from_ps(1'000'000'000'000);
    Bytes waiting;
    const auto count = [&](const auto& queues) {
      for (const auto& [key, queue] : queues)
        for (const ReferenceVisitor& visitor : queue)
          if (visitor.output == output.port) waiting += visitor.size + gap_;
    };
    count(switches_[output.at].at_inputs);
    count(switches_[output.at].at_outputs);
    return std::max(SimTime(), channels_.busy_until(channel) - agenda_.now()) +
           channels_.sending(channel, waiting) + channels_.sending(channel, channels_.absent(channel));
  }

  const SwitchGraph& graph_;
  const Outages& outages_;
  Bytes gap_;
  const std::vector<ReferenceSwitchState>& switches_;
  const ReferenceChannels& channels_;
  const ReferenceAgenda& agenda_;
  SwitchId asking_ = 0;
  std::map<SwitchPort, SimTime> before_;
  SimTime kept_at_ = SimTime::from_ps(-1);
};

}  // namespace morgana::testing
