#include "experiments/modern/dcqcn_shares.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/network/fabric/fabric_network.h"
#include "emulator/routing/switch_tables.h"
#include "emulator/transport/infiniband/reliable_connections.h"
#include "experiments/modern/no_listener.h"

namespace morgana::modern_papers {
namespace {

constexpr BitRate rate(40'000'000'000);
constexpr Bytes message{65'536};
constexpr std::uint64_t ahead = 4;  ///< messages of a flow that are posted at a time
constexpr SimTime others_begin = SimTime::from_ps(10'000'000'000);
constexpr SimTime window = SimTime::from_ps(5'000'000'000);
constexpr SimTime judged_from = SimTime::from_ps(100'000'000'000), end = SimTime::from_ps(200'000'000'000);
constexpr double fair = 0.95, bits_in_byte = 8;
constexpr Bytes payload{1'024}, ip_and_udp{28}, ethernet{42};  // with preamble and gap
/// Of a packet in the middle of a message: BTH 12 B, ICRC 4 B.
constexpr double payload_share = 1'024.0 / (1'024 + 12 + 4 + 28 + 42);

double jain(std::span<const std::int64_t> shares) {
  double sum = 0, squares = 0;
  for (const std::int64_t share : shares) {
    sum += static_cast<double>(share);
    squares += static_cast<double>(share) * static_cast<double>(share);
  }
  return squares == 0 ? 0 : sum * sum / (static_cast<double>(shares.size()) * squares);
}

/// Flows that always have something to send, host n to host 0, and what comes of them in each window.
class EndlessFlows final : public NoListener, private EventHandler {
 public:
  EndlessFlows(EventQueue& events, Transport& transport, unsigned flows)
      : events_(events), transport_(transport), flows_(flows) {
    begin(1);
    events.schedule(others_begin, *this, 0);
  }
  void shipment_delivered(MessageId id) override {
    const auto number = static_cast<std::size_t>(events_.now() / window);
    const std::size_t flow = static_cast<std::size_t>(id.number) % flows_;
    while (windows_.size() <= number) windows_.emplace_back(flows_, 0);
    windows_[number][flow] += message.count();
    post(static_cast<unsigned>(flow) + 1);
  }
  /// Bytes of each flow, window by window.
  const std::vector<std::vector<std::int64_t>>& windows() const { return windows_; }

 private:
  void handle(std::uint64_t) override {
    for (unsigned host = 2; host <= flows_; ++host) begin(host);
  }
  void begin(unsigned host) {
    for (std::uint64_t n = 0; n < ahead; ++n) post(host);
  }
  void post(unsigned host) {
    const std::uint64_t number = flows_ * posted_++ + host - 1;
    transport_.send({.id = {number, this},
                     .from = HostId{host},
                     .to = HostId{0},
                     .bytes = message,
                     .channel = host,
                     .verb = Verb::write});
  }

  EventQueue& events_;
  Transport& transport_;
  unsigned flows_;
  std::uint64_t posted_ = 0;
  std::vector<std::vector<std::int64_t>> windows_;
};

}  // namespace

DcqcnShares dcqcn_shares(unsigned flows) {
  EventQueue events;
  SwitchGraph graph;
  const SwitchId only = graph.add_switch(flows + 1);
  for (unsigned host = 0; host <= flows; ++host) graph.add_host(only);
  const CabledGraph network = CabledGraph::uniform(std::move(graph), {rate, SimTime::from_ps(100'000)});
  fabric::FabricParameters switches;
  switches.queueing = fabric::Queueing::output_queues;
  switches.forwarding = fabric::Forwarding::store_and_forward;
  switches.flow_control = fabric::FlowControl::pause;
  switches.classes = 1;
  switches.packet = {.header = ethernet, .minimum = Bytes(84), .gap = Bytes(0), .largest = Bytes(1'100)};
  switches.shared = {.size = Bytes(12'000'000)};
  switches.marks = {.from = Bytes(5'000), .to = Bytes(200'000), .share = 0.01};
  RoutesParameters routes;
  routes.routes = RoutesKind::ecmp;
  FabricNetwork fabric(events, network, switches, SwitchTables(network, routes, {}, SimTime()));
  RcParameters parameters;
  parameters.path_mtu = payload;
  parameters.global_header = ip_and_udp;
  parameters.control = RcParameters::Control::dcqcn;
  ReliableConnections connections(events, fabric, network.graph.hosts(), parameters);
  EndlessFlows endless(events, connections, flows);
  while (events.now() < end) events.handle_next();

  DcqcnShares result;
  std::vector<std::int64_t> bytes(flows, 0);
  SimTime unfair_until = others_begin;
  for (std::size_t n = 0; n < endless.windows().size(); ++n) {
    const SimTime from = window * static_cast<std::int64_t>(n);
    const std::vector<std::int64_t>& shares = endless.windows()[n];
    if (from >= others_begin && from + window <= end && jain(shares) < fair) unfair_until = from + window;
    if (from < judged_from || from >= end) continue;
    for (std::size_t flow = 0; flow < flows; ++flow) bytes[flow] += shares[flow];
  }
  std::int64_t all = 0;
  for (const std::int64_t one : bytes) all += one;
  const double equal = static_cast<double>(all) / flows;
  result.least = static_cast<double>(std::ranges::min(bytes)) / equal;
  result.most = static_cast<double>(std::ranges::max(bytes)) / equal;
  result.fairness = jain(bytes);
  const double line_rate = static_cast<double>(rate.bits_per_second()) / bits_in_byte * payload_share;
  result.used = static_cast<double>(all) / ((end - judged_from).seconds() * line_rate);
  result.settled = unfair_until - others_begin;
  return result;
}

}  // namespace morgana::modern_papers
