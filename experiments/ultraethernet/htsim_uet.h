#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/fabric/fabric_network.h"
#include "emulator/topology/switch_graph.h"
#include "emulator/transport/uet/parameters.h"

namespace morgana {

/// Ultra Ethernet as the Consortium's simulator (uet-htsim at 40ccb052) has it by default: 100 Gb/s, cables
/// of 1 us, switches that store and forward without latency; headers of 64 B in each packet,
/// acknowledgements, NACKs, credits and trimmed packets of 64 B with priority; queues of one bandwidth-delay
/// product in whole packets, marks from 20 % of it on and above 80 % always, looked at when a packet leaves;
/// the round trip is that of a full packet and an acknowledgement over the longest way; a timeout of 15 us
/// and six full queues.
struct HtsimUet {
  fabric::FabricParameters fabric;
  UetParameters uet;

  /// @param packet  a full one, with its header @param cables  of the longest way
  /// @param queue_packets  of a port, instead of a bandwidth-delay product; 0: not
  explicit HtsimUet(UetParameters::Control control, Bytes packet, int cables = 6,
                    std::int64_t queue_packets = 0) {
    constexpr BitRate rate{100'000'000'000};
    constexpr Bytes header{64};
    const SimTime round_trip = SimTime::from_ps(2 * cables * 1'000'000) + cables * rate.time_for(packet) +
                               cables * rate.time_for(header);
    const double product = round_trip.seconds() * 12.5e9;
    const auto packets = [&](double share) {
      const double all = std::ceil(product / static_cast<double>(packet.count()));
      return static_cast<std::int64_t>(std::ceil(share * all)) * packet;
    };
    fabric.queueing = fabric::Queueing::output_queues;
    fabric.forwarding = fabric::Forwarding::store_and_forward;
    fabric.latency = SimTime();
    fabric.flow_control = fabric::FlowControl::none;
    fabric.classes = 2;
    fabric.lane_arbitration = fabric::LaneArbitration::strict;
    fabric.packet = {.header = Bytes(0), .minimum = Bytes(0), .gap = Bytes(0), .largest = packet};
    fabric.output_queue = queue_packets > 0 ? queue_packets * packet : packets(1);
    fabric.trim = {.size = header, .traffic_class = 0};
    fabric.marks = {.from = packets(0.2), .to = packets(0.8), .share = 1, .when = fabric::MarkWhen::leaving};
    uet.payload = packet - header;
    uet.header = uet.control_packet = header;
    uet.control = control;
    uet.data_class = 1;
    uet.control_class = 0;
    uet.nscc.base_round_trip = round_trip;
    uet.timeout = SimTime::from_ps(15'000'000) + 6 * rate.time_for(fabric.output_queue);
  }
};

/// Three tiers of switches with k ports, full bisection: k pods of k/2 edge switches with k/2 hosts each and
/// k/2 above them. Switches are numbered tier by tier, from the edge.
inline SwitchGraph three_tiers_of(unsigned k) {
  const unsigned half = k / 2;
  SwitchGraph graph;
  std::vector<SwitchId> edges, above, cores;
  for (unsigned n = 0; n < k * half; ++n) edges.push_back(graph.add_switch(k));
  for (unsigned n = 0; n < k * half; ++n) above.push_back(graph.add_switch(k));
  for (unsigned n = 0; n < half * half; ++n) cores.push_back(graph.add_switch(k));
  for (const SwitchId edge : edges)
    for (unsigned host = 0; host < half; ++host) graph.add_host(edge);
  for (unsigned pod = 0; pod < k; ++pod)
    for (unsigned one = 0; one < half; ++one)
      for (unsigned other = 0; other < half; ++other) {
        graph.connect(edges[pod * half + one], above[pod * half + other]);
        graph.connect(above[pod * half + one], cores[one * half + other]);
      }
  return graph;
}

}  // namespace morgana
