#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/routing/multipath.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/topology/switch_graph.h"
#include "tests/network/fabric/carried_fabric.h"
#include "tests/network/fabric/fabric_outcome.h"

/// Networks and plans of cases that are worked out by hand, and what became of their packets.
namespace morgana::testing::by_hand {

using Times = std::vector<std::int64_t>;  // in nanoseconds

inline constexpr BitRate byte_in_ns(8'000'000'000);
inline constexpr BitRate byte_in_two_ns(4'000'000'000);
inline constexpr BitRate two_bytes_in_ns(16'000'000'000);
inline constexpr std::int64_t never = -1;

/// One switch; host n at its port n.
inline CabledGraph star(unsigned hosts) {
  SwitchGraph graph;
  graph.add_switch(hosts);
  for (unsigned host = 0; host < hosts; ++host) graph.add_host(SwitchId{0});
  return CabledGraph::uniform(std::move(graph), {byte_in_ns, SimTime::from_ps(10'000)});
}

/// Host 0 - switch 0 - switch 1 - host 1, with `trunks` cables between the switches.
inline CabledGraph line(unsigned trunks = 1) {
  SwitchGraph graph;
  graph.add_switch(trunks + 1);
  graph.add_switch(trunks + 1);
  for (unsigned trunk = 0; trunk < trunks; ++trunk) graph.connect(SwitchId{0}, SwitchId{1});
  graph.add_host(SwitchId{0});
  graph.add_host(SwitchId{1});
  return CabledGraph::uniform(std::move(graph), {byte_in_ns, SimTime::from_ps(10'000)});
}

/// With space for every packet in its buffers.
inline fabric::FabricParameters spacious() {
  fabric::FabricParameters parameters;
  parameters.buffer = parameters.host_buffer = Bytes(1'000'000);
  return parameters;
}

/// With an account for each input and class: 3,000 bytes of headroom each, no reserve.
inline fabric::FabricParameters pausing(unsigned accounts, Bytes pool) {
  fabric::FabricParameters parameters;
  parameters.queueing = fabric::Queueing::output_queues;
  parameters.flow_control = fabric::FlowControl::pause;
  parameters.shared.headroom = Bytes(3'000);
  parameters.shared.size = accounts * parameters.shared.headroom + pool;
  return parameters;
}

inline FabricInjection unit(std::int64_t at_ns, HostNumber from, HostNumber to, unsigned traffic_class = 0,
                            std::int64_t bytes = 1'000) {
  return {SimTime::from_ps(1'000 * at_ns), from, to, Bytes(bytes), traffic_class};
}

inline FabricOutcome carried(const CabledGraph& network, const fabric::FabricParameters& parameters,
                             const std::vector<FabricInjection>& plan) {
  const EcmpRouting routing(
      network.graph, [](CableChannel) { return true; }, 0);
  return both_fabrics(network, parameters, routing, plan);
}

inline std::int64_t in_ns(const std::optional<SimTime>& time) {
  if (!time) return never;
  EXPECT_EQ(time->ps() % 1'000, 0);
  return time->ps() / 1'000;
}
inline Times delivered(const FabricOutcome& outcome) {
  Times all;
  for (const FabricFate& fate : outcome.fates) all.push_back(in_ns(fate.delivered));
  return all;
}
/// Of each packet its start on its hop of this number.
inline Times starts(const FabricOutcome& outcome, std::size_t hop) {
  Times all;
  for (const FabricFate& fate : outcome.fates)
    all.push_back(hop < fate.hops.size() ? in_ns(fate.hops[hop].start) : never);
  return all;
}
inline Times lost(const FabricOutcome& outcome) {
  Times all;
  for (const FabricFate& fate : outcome.fates) all.push_back(in_ns(fate.lost));
  return all;
}
inline Times hop_starts(const FabricFate& fate) {
  Times all;
  for (const FabricHop& hop : fate.hops) all.push_back(in_ns(hop.start));
  return all;
}

}  // namespace morgana::testing::by_hand
