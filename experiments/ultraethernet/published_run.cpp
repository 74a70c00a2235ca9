// The published results' networks and traffic, carried out here.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "emulator/core/error.h"
#include "emulator/core/event_queue.h"
#include "emulator/core/random.h"
#include "emulator/network/fabric/fabric_network.h"
#include "emulator/routing/switch_tables.h"
#include "emulator/topology/cabled_graph.h"
#include "emulator/transport/uet/uet.h"
#include "experiments/ultraethernet/htsim_uet.h"
#include "experiments/ultraethernet/published.h"

namespace morgana::ultra_ethernet_results {
namespace {

constexpr Bytes packet{4'150}, payload{4'086}, two_megabytes{2'000'000};
constexpr BitRate rate(100'000'000'000), slow_rate(25'000'000'000);
constexpr std::int64_t times_slower = 4;
constexpr double micro = 1e6;

struct Flow {
  std::uint32_t from = 0, to = 0;
  Bytes bytes = two_megabytes;
  SimTime start{};
};

std::vector<Flow> to_host(std::uint32_t to, std::uint32_t hosts, Bytes bytes) {
  std::vector<Flow> flows;
  for (std::uint32_t from = 0; from < hosts; ++from)
    if (from != to) flows.push_back({from, to, bytes});
  return flows;
}

/// Every host sends to one and receives from one other.
std::vector<Flow> drawn_permutation(std::uint32_t hosts) {
  std::vector<std::uint32_t> to(hosts);
  for (std::uint32_t host = 0; host < hosts; ++host) to[host] = host;
  RandomStream random(1, "permutation");
  for (std::size_t left = to.size() - 1; left > 0; --left) std::swap(to[left], to[random.below(left)]);
  std::vector<Flow> flows;
  for (std::uint32_t host = 0; host < hosts; ++host) flows.push_back({host, to[host]});
  return flows;
}

std::vector<Flow> outcast_and_incast() {
  std::vector<Flow> flows{{1, 0}, {2, 0}};
  for (std::uint32_t to = 4; to <= 12; ++to) flows.push_back({2, to});
  flows.push_back({3, 0});
  for (std::uint32_t to = 13; to <= 21; ++to) flows.push_back({3, to});
  return flows;
}

std::vector<Flow> flows_of(Matrix matrix) {
  constexpr std::array<std::uint32_t, 16> to_of_16{8, 4, 13, 10, 12, 15, 0, 9, 14, 7, 5, 3, 11, 6, 2, 1};
  constexpr SimTime later = SimTime::from_ps(40'000'000);
  std::vector<Flow> flows;
  switch (matrix) {
    case Matrix::one:
      return {{0, 13}};
    case Matrix::both_ways:
      return {{0, 13}, {13, 0}};
    case Matrix::incast_15:
      return to_host(15, 16, two_megabytes);
    case Matrix::incast_127:
      return to_host(0, 128, two_megabytes);
    case Matrix::incast_1023:
      return to_host(0, 1'024, Bytes(100'000));
    case Matrix::overlapped:
      return {{127, 0}, {95, 0, Bytes(250'000), later}, {61, 0, Bytes(250'000), later}};
    case Matrix::outcast:
      return outcast_and_incast();
    case Matrix::permutation_16:
      for (std::uint32_t from = 0; from < to_of_16.size(); ++from) flows.push_back({from, to_of_16[from]});
      return flows;
    case Matrix::permutation_1024:
      return drawn_permutation(1'024);
    case Matrix::message_of_10:
      return {{0, 1, 10 * payload}};
    case Matrix::ten_of_1:
      return std::vector<Flow>(10, {0, 1, payload});
    case Matrix::message_of_100:
      return {{0, 1, 100 * payload}};
    case Matrix::ten_of_10:
      return std::vector<Flow>(10, {0, 1, 10 * payload});
  }
  return {};
}

/// Ports of a switch of the three tiers.
unsigned ports_for(Matrix matrix) {
  switch (matrix) {
    case Matrix::incast_127:
    case Matrix::overlapped:
    case Matrix::outcast:
      return 8;
    case Matrix::incast_1023:
    case Matrix::permutation_1024:
      return 16;
    case Matrix::message_of_10:
    case Matrix::ten_of_1:
    case Matrix::message_of_100:
    case Matrix::ten_of_10:
      return 2;
    default:
      return 4;
  }
}

/// 32 hosts at each of 32 switches, which all the spines join.
SwitchGraph two_tiers(unsigned spines) {
  constexpr unsigned leaves = 32, hosts = 32;
  SwitchGraph graph;
  std::vector<SwitchId> edges, above;
  for (unsigned n = 0; n < leaves; ++n) edges.push_back(graph.add_switch(hosts + spines));
  for (unsigned n = 0; n < spines; ++n) above.push_back(graph.add_switch(leaves));
  for (const SwitchId edge : edges)
    for (unsigned host = 0; host < hosts; ++host) graph.add_host(edge);
  for (const SwitchId edge : edges)
    for (const SwitchId spine : above) graph.connect(edge, spine);
  return graph;
}

/// From core switches to the first of the tier below them.
std::vector<CableChannel> slow_channels(const SwitchGraph& graph, unsigned ports, unsigned count) {
  const SwitchId first = ports * ports / 2, first_core = 2 * first;
  std::vector<CableChannel> all;
  for (const SwitchGraph::Cable& cable : graph.cables())
    if (cable.a.at == first && cable.b.at >= first_core && all.size() < count)
      all.push_back(graph.channel_from(cable.b));
  return all;
}

/// A slow link's queue, and the lengths from which it marks, are as many times shorter. With credit the
/// queues to hosts mark nothing.
void set_queues(fabric::Links& links, const HtsimUet& given, const std::vector<CableChannel>& slow) {
  const auto part = [](Bytes whole) { return Bytes(whole.count() / times_slower); };
  const fabric::FabricParameters& all = given.fabric;
  fabric::QueueLimits limits{all.output_queue, {}};
  for (CableChannel channel = 0; given.uet.has_rccc() && channel < links.size(); ++channel)
    if (links.to(channel).is_host()) links.limit(channel, limits);
  limits = {part(all.output_queue), all.marks};
  limits.marks.from = part(all.marks.from);
  limits.marks.to = part(all.marks.to);
  for (const CableChannel channel : slow) {
    links.slow_down(channel, slow_rate);
    links.limit(channel, limits);
  }
}

class Completions final : public ShipmentListener, private EventHandler {
 public:
  Completions(EventQueue& events, Transport& transport, std::vector<Flow> flows)
      : events_(events), transport_(transport), flows_(std::move(flows)) {
    for (std::size_t number = 0; number < flows_.size(); ++number) {
      if (flows_[number].start == SimTime())
        handle(number);
      else
        events.schedule(flows_[number].start, *this, number);
    }
    while (!events.empty()) events.handle_next();
  }
  SimTime first = SimTime::from_ps(INT64_MAX), last;
  std::size_t completed = 0;

 private:
  void handle(std::uint64_t number) override {
    transport_.send({.id = {number, this},
                     .from = HostId{flows_[number].from},
                     .to = HostId{flows_[number].to},
                     .bytes = flows_[number].bytes,
                     .verb = Verb::write,
                     .completes = true});
  }
  void shipment_departed(MessageId) override {}
  void shipment_delivered(MessageId) override {}
  void shipment_completed(MessageId) override {
    first = std::min(first, events_.now());
    last = events_.now();
    ++completed;
  }
  void shipment_lost(MessageId) override {}
  void shipment_returned(MessageId, Outcome) override {}

  EventQueue& events_;
  Transport& transport_;
  std::vector<Flow> flows_;
};

}  // namespace

RunOutcome run_here(const Published& result, std::uint64_t seed) {
  constexpr int two_tier_cables = 4, three_tier_cables = 6;
  constexpr unsigned hosts_at_switch = 32;
  const bool is_two_tiers = result.differs.oversubscribed > 0;
  HtsimUet given(result.control, packet, is_two_tiers ? two_tier_cables : three_tier_cables,
                 result.differs.queue_packets);
  given.fabric.trim.which = fabric::TrimParameters::Which::either;
  given.uet.entropies = result.entropies;
  given.uet.balancing = result.balancing;
  if (result.differs.each_acknowledged) given.uet.acknowledge_bytes = Bytes(4'000);
  const unsigned ports = ports_for(result.matrix);
  const CabledGraph network = CabledGraph::uniform(
      is_two_tiers ? two_tiers(hosts_at_switch / result.differs.oversubscribed) : three_tiers_of(ports),
      {rate, SimTime::from_ps(1'000'000)});
  RoutesParameters routes;
  routes.routes = RoutesKind::ecmp;
  routes.seed = seed;
  EventQueue events;
  FabricNetwork fabric(events, network, given.fabric, SwitchTables(network, routes, {}, SimTime()));
  set_queues(fabric.channel_ends(), given, slow_channels(network.graph, ports, result.differs.slow_links));
  Uet uet(events, fabric, network.graph.hosts(), given.uet);
  const std::vector<Flow> flows = flows_of(result.matrix);
  const Completions completions(events, uet, flows);
  if (completions.completed != flows.size())
    throw Error(fmt::format("{}: {} of {} flows ended, so there is no last completion", result.id,
                            completions.completed, flows.size()));
  RunOutcome outcome;
  outcome.figures["first"] = completions.first.seconds() * micro;
  outcome.figures["last"] = completions.last.seconds() * micro;
  outcome.figures["repeated"] = static_cast<double>(uet.counters().repeated);
  outcome.figures["NACKs"] = static_cast<double>(uet.counters().nacks);
  return outcome;
}

}  // namespace morgana::ultra_ethernet_results
