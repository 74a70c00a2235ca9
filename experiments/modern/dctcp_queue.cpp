#include "experiments/modern/dctcp_queue.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <utility>

#include "emulator/network/fabric/fabric_network.h"
#include "emulator/routing/switch_tables.h"
#include "emulator/transport/tcp/tcp.h"
#include "experiments/modern/no_listener.h"

namespace morgana::modern_papers {
namespace {

constexpr Bytes segment_on_link{1500};
constexpr auto threshold = static_cast<std::int64_t>(marking_threshold);
constexpr SimTime cable = SimTime::from_ps(25'000'000);
constexpr SimTime segment_time = SimTime::from_ps(1'200'000);
constexpr SimTime settled = SimTime::from_ps(50'000'000'000), last = SimTime::from_ps(150'000'000'000);

/// What full segments find in the queue: how long they take beyond cables and storing.
class QueueWatch final : public Network, private UnitListener {
 public:
  QueueWatch(EventQueue& events, Network& network) : events_(events), network_(network) {
    network.report_to(*this);
  }
  void inject(const Unit& unit) override {
    if (unit.size == segment_on_link) departures_.emplace(unit.id, SimTime());
    network_.inject(unit);
  }
  Bytes largest_unit() const override { return network_.largest_unit(); }
  NetworkCapabilities capabilities() const override { return network_.capabilities(); }
  NetworkExtensions extensions() override { return network_.extensions(); }
  std::string how_lost() const override { return network_.how_lost(); }
  std::string remedy() const override { return network_.remedy(); }

  double least = std::numeric_limits<double>::max(), most = 0;  ///< segments, once settled
  std::int64_t count = 0;

 private:
  void unit_departed(UnitId id, PortId from) override {
    if (const auto known = departures_.find(id); known != departures_.end()) known->second = events_.now();
    listener_->unit_departed(id, from);
  }
  void unit_delivered(UnitId id, PortId to) override {
    if (const auto known = departures_.find(id); known != departures_.end()) {
      const SimTime waited = events_.now() - known->second - 2 * cable - segment_time;
      departures_.erase(known);
      if (events_.now() > settled) note(waited.seconds() / segment_time.seconds());
    }
    listener_->unit_delivered(id, to);
  }
  void unit_lost(UnitId id) override { listener_->unit_lost(id); }
  void note(double queue) {
    least = std::min(least, queue);
    most = std::max(most, queue);
    ++count;
  }

  EventQueue& events_;
  Network& network_;
  std::map<UnitId, SimTime> departures_;
};

}  // namespace

DctcpQueue dctcp_queue(unsigned flows) {
  EventQueue events;
  SwitchGraph graph;
  const SwitchId only = graph.add_switch(flows + 1);
  for (unsigned host = 0; host <= flows; ++host) graph.add_host(only);
  const CabledGraph network = CabledGraph::uniform(std::move(graph), {BitRate(10'000'000'000), cable});
  fabric::FabricParameters switches;
  switches.queueing = fabric::Queueing::output_queues;
  switches.forwarding = fabric::Forwarding::store_and_forward;
  switches.latency = SimTime();
  switches.flow_control = fabric::FlowControl::none;
  switches.packet = {.header = Bytes(0), .minimum = Bytes(0), .gap = Bytes(0), .largest = segment_on_link};
  switches.marks = {.from = threshold * segment_on_link, .to = threshold * segment_on_link};
  RoutesParameters routes;
  routes.routes = RoutesKind::ecmp;
  FabricNetwork fabric(events, network, switches, SwitchTables(network, routes, {}, SimTime()));
  QueueWatch watch(events, fabric);
  TcpParameters parameters;
  parameters.control = TcpParameters::Control::dctcp;
  parameters.acknowledge_every = 1;
  Tcp tcp(events, watch, network.graph.hosts(), parameters);
  NoListener nobody;
  for (unsigned host = 1; host <= flows; ++host)
    tcp.send({.id = {host, &nobody}, .from = HostId{host}, .to = HostId{0}, .bytes = Bytes(1'000'000'000)});
  while (events.now() < last) events.handle_next();

  return {watch.least, watch.most,
          static_cast<double>(watch.count) * segment_time.seconds() / (last - settled).seconds()};
}

double least_queue_by_model(unsigned flows) {
  return marking_threshold + flows - std::sqrt(2.0 * flows * (segments_on_the_way + marking_threshold)) / 2;
}

}  // namespace morgana::modern_papers
