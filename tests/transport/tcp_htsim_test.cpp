// DCTCP against csg-htsim (at 841d9e7b) on the same configuration: 128 hosts on three tiers of 100 Gb/s and
// 1 us, switches that store and forward without latency, marks above 15 packets when one leaves a queue, no
// losses. Segments of 4,096 B on the link, acknowledgements of 40 B, one for each segment; the initial window
// has 10 segments, slow start ends at 100; a handshake comes first; gain 1/16. Completion is the last
// acknowledgement. What is expected was measured with that program; its text is not here.
#include <gtest/gtest.h>

#include <cstdint>
#include <vector>

#include "emulator/routing/switch_tables.h"
#include "emulator/transport/tcp/tcp.h"
#include "tests/transport/flow_networks.h"
#include "tests/transport/flows.h"

namespace morgana {
namespace {

using testing::Flow;
using testing::incast_of_16;
using testing::permutation;
using testing::three_tiers;
using TcpFlows = testing::Flows<Tcp, TcpParameters>;

constexpr SimTime micro(std::int64_t us) {
  return SimTime::from_ps(us * 1'000'000);
}

constexpr Bytes packet{4096}, header{40};

fabric::FabricParameters switches() {
  fabric::FabricParameters all;
  all.queueing = fabric::Queueing::output_queues;
  all.forwarding = fabric::Forwarding::store_and_forward;
  all.latency = SimTime();
  all.flow_control = fabric::FlowControl::none;
  all.packet = {.header = Bytes(0), .minimum = Bytes(0), .gap = Bytes(0), .largest = packet};
  all.marks = {.from = 15 * packet, .to = 15 * packet, .share = 1, .when = fabric::MarkWhen::leaving};
  return all;
}

TcpParameters dctcp() {
  TcpParameters all;
  all.header = header;
  all.timestamps = false;
  all.sack = false;
  all.message_header = Bytes(0);
  all.send_buffer = all.receive_buffer = Bytes(100'000'000);
  all.acknowledge_every = 1;
  all.control = TcpParameters::Control::dctcp;
  all.window.initial = getenv("IW") ? atoi(getenv("IW")) : 10;
  all.window.slow_start = 100;
  all.window.byte_counting = 1;
  all.dctcp.first_alpha = 0;
  return all;
}

struct Completions {
  double least, mean, most;  ///< us
  std::vector<double> tail;
};

/// @param packets  of each flow
Completions completions(const std::vector<Flow>& flows, std::int64_t packets, std::uint64_t seed = 1) {
  EventQueue events;
  const CabledGraph network = CabledGraph::uniform(three_tiers(), {BitRate(100'000'000'000), micro(1)});
  RoutesParameters routes;
  routes.routes = RoutesKind::ecmp;
  routes.seed = seed;
  FabricNetwork fabric(events, network, switches(), SwitchTables(network, routes, {}, SimTime()));
  const TcpFlows run(events, fabric, network.graph.hosts(), dctcp(), flows, packets * (packet - header));
  const std::vector<double> all = run.completions();
  for (const auto& t : run.transport().counted()) for (const auto& r : t.rows) { for (auto v : r) printf("%ld ", std::get<std::int64_t>(v)); printf("\n"); }
  return {all.front(), run.mean(), all.back(), {all.end() - std::min<long>(6, static_cast<long>(all.size())), all.end()}};
}

TEST(TcpAndHtsim, Print) {
  for (auto [name, flows, packets] : {std::tuple("alone", std::vector<Flow>{{5, 77}}, 512), std::tuple("incast 64k", incast_of_16(), 16), std::tuple("incast 2M", incast_of_16(), 512), std::tuple("perm 64k", permutation(), 16), std::tuple("perm 2M", permutation(), 512)})
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const Completions got = completions(flows, packets, seed);
      printf("%s %lu: %.3f %.3f %.3f;", name, seed, got.least, got.mean, got.most); for (double x : got.tail) printf(" %.1f", x); printf("\n");
    }
}

}  // namespace
}  // namespace morgana
