#include "experiments/itb/testbed.h"

#include <fmt/format.h>

#include "emulator/core/statistics.h"
#include "emulator/interface/gm/interfaces.h"
#include "emulator/network/myrinet/routes/route.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::itb_paper {
namespace {

constexpr PortId host_1{0}, host_2{1};

struct Paths {
  explicit Paths(const Testbed& testbed) {
    constexpr unsigned ports = 8;
    graph.add_switch(ports);
    graph.add_switch(ports);
    graph.add_host(SwitchId{0});
    graph.add_host(SwitchId{testbed.one_switch ? 0U : 1U});
    graph.add_host(SwitchId{0});  // in transit
    graph.connect(0, 1);
    graph.connect(SwitchPort{1, 5}, SwitchPort{1, 6});
    table = RouteTable::row_per_host(graph);
    const auto host = [this](HostNumber id) { return route_byte(graph.port_of(id).port); };
    const RouteByte over = route_byte(graph.cables()[0].a.port), back = route_byte(graph.cables()[0].b.port);
    const RouteByte loop = route_byte(graph.cables()[1].a.port);
    if (testbed.one_switch) {
      set(0, 1, {host(1)});
      set(1, 0, {host(0)});
      return;
    }
    set(0, 1,
        testbed.through_host ? std::vector{host(2), in_transit_mark, over, host(1)}
                             : std::vector{over, loop, host(1)});
    set(1, 0, {back, host(0)});
  }
  void set(HostNumber from, HostNumber to, const std::vector<RouteByte>& header) {
    table.set(table.row_of(from), to, header);
  }

  SwitchGraph graph;
  RouteTable table{{}};
};

/// Two programs that send each other a message in turn.
class PingPong : private UnitListener, private EventHandler {
 public:
  PingPong(const Testbed& testbed, std::int64_t bytes, int trips)
      : testbed_(testbed),
        paths_(testbed),
        interfaces_(events_,
                    std::make_unique<MyrinetNetwork>(events_, paths_.graph, paths_.table, testbed.network, 1),
                    testbed.program),
        bytes_(bytes),
        messages_(2 * trips) {
    interfaces_.report_to(*this);
  }

  SimTime run() {
    send(host_1);
    while (messages_ > 0) events_.handle_next();
    return events_.now();
  }

 private:
  enum What : std::uint64_t { token_is_written, message_is_there };
  void send(PortId from) {
    turn_ = from;
    events_.schedule(events_.now() + testbed_.host_send, *this, token_is_written);
  }
  void handle(std::uint64_t what) override {
    const PortId other = turn_ == host_1 ? host_2 : host_1;
    if (what == token_is_written) return interfaces_.inject({UnitId{0}, turn_, other, Bytes(bytes_)});
    if (--messages_ > 0) send(other);
  }
  void unit_departed(UnitId, PortId) override {}
  void unit_delivered(UnitId, PortId) override {
    events_.schedule(events_.now() + testbed_.host_receive, *this, message_is_there);
  }
  void unit_lost(UnitId) override {}

  Testbed testbed_;
  Paths paths_;
  EventQueue events_;
  gm::Interfaces interfaces_;
  std::int64_t bytes_;
  int messages_;
  PortId turn_ = host_1;
};

}  // namespace

Testbed paper_testbed() {
  Testbed testbed;
  testbed.network.type_bytes = 4;
  // The half of GM's 0.54 us at each end, and at the sender the token's way over the bus.
  testbed.host_send = SimTime::from_ps(270'000) + testbed.program.lanai.bus_latency;
  testbed.host_receive = SimTime::from_ps(270'000);
  return testbed;
}

Testbed published_testbed(double clock) {
  // A LANai 9 at 133 MHz carries out 1.7 times as many instructions as the LANai 7 for which cycles are
  // given.
  constexpr double lanai_7 = 66e6, faster = 1.7, lanai_9 = 133e6;
  Testbed testbed = paper_testbed();
  testbed.one_switch = true;
  testbed.network.flit = SimTime::from_ps(4'000);  // 2 Gb/s
  testbed.network.cable = testbed.network.control = SimTime::from_ps(20'000);
  testbed.program.in_transit_support = false;
  testbed.program.lanai.cycle = SimTime::from_seconds(lanai_9 / (clock * faster * lanai_7));
  testbed.program.lanai.bus_rate = BitRate(8 * std::int64_t{528'000'000});
  return testbed;
}

double half_round_trip(const Testbed& testbed, std::int64_t bytes) {
  constexpr int trips = 100;
  constexpr double ps_per_ns = 1000;
  return static_cast<double>(PingPong(testbed, bytes, trips).run().ps()) / (2 * trips * ps_per_ns);
}

std::span<const Variant> variants() {
  static constexpr Variant all[] = {
      {"handlers of 61 cycles", [](Testbed& t) { t.program.handler = 61; }},
      {"handlers of 73 cycles", [](Testbed& t) { t.program.handler = 73; }},
      {"dispatch of 9, handlers of 76 cycles",
       [](Testbed& t) { t.program.dispatch = 9, t.program.handler = 76; }},
      {"dispatch of 36, handlers of 49 cycles",
       [](Testbed& t) { t.program.dispatch = 36, t.program.handler = 49; }},
      {"no acknowledgements, handlers of 82 cycles",
       [](Testbed& t) { t.program.acknowledge = false, t.program.handler = 82; }},
      {"type test of 4 cycles", [](Testbed& t) { t.program.type_test = 4; }},
      {"type test of 16 cycles", [](Testbed& t) { t.program.type_test = 16; }},
      {"Recv leaves sending to Send", [](Testbed& t) { t.program.recv_starts_sending = false; }},
      {"PCI at 264 MB/s",
       [](Testbed& t) { t.program.lanai.bus_rate = BitRate(8 * std::int64_t{264'000'000}); }},
      {"cables of 3 m", [](Testbed& t) { t.network.cable = t.network.control = SimTime::from_ps(14'760); }},
  };
  return all;
}

namespace {

struct Measured {
  double original, changed, through_host;
  double overhead() const { return changed - original; }
  /// Only one of two ways leads through the host.
  double in_transit() const { return 2 * (through_host - changed); }
};

Measured measure(Testbed testbed, std::int64_t bytes) {
  testbed.program.in_transit_support = false;
  const double original = half_round_trip(testbed, bytes);
  testbed.program.in_transit_support = true;
  const double changed = half_round_trip(testbed, bytes);
  testbed.through_host = true;
  return {original, changed, half_round_trip(testbed, bytes)};
}

}  // namespace

std::map<std::string, double> testbed_figures() {
  constexpr std::int64_t longest = 4096;
  std::map<std::string, double> figures;
  RunningStatistics overhead, in_transit;
  for (std::int64_t bytes = 1; bytes <= longest; bytes *= 2) {
    const Measured one = measure(paper_testbed(), bytes);
    figures[fmt::format("original.{}", bytes)] = one.original;
    figures[fmt::format("changed.{}", bytes)] = one.changed;
    figures[fmt::format("through_host.{}", bytes)] = one.through_host;
    overhead.add(one.overhead());
    in_transit.add(one.in_transit());
    if (bytes == 1 || bytes == longest)
      figures[fmt::format("overhead_{}", bytes)] = 100 * one.overhead() / one.original;
  }
  figures["short"] = figures.at("original.1");
  figures["overhead"] = overhead.mean();
  figures["overhead_most"] = overhead.maximum();
  figures["in_transit"] = in_transit.mean();
  figures["in_transit_least"] = in_transit.minimum();
  figures["in_transit_most"] = in_transit.maximum();
  for (const Variant& variant : variants()) {
    Testbed testbed = paper_testbed();
    variant.change(testbed);
    RunningStatistics overheads, delays;
    for (std::int64_t bytes = 1; bytes <= longest; bytes *= 2) {
      const Measured one = measure(testbed, bytes);
      if (bytes == 1) figures[fmt::format("{}.short", variant.name)] = one.original;
      overheads.add(one.overhead());
      delays.add(one.in_transit());
    }
    figures[fmt::format("{}.overhead", variant.name)] = overheads.mean();
    figures[fmt::format("{}.in_transit", variant.name)] = delays.mean();
  }
  figures["published.133"] = half_round_trip(published_testbed(133e6), 1);
  figures["published.200"] = half_round_trip(published_testbed(200e6), 1);
  return figures;
}

}  // namespace morgana::itb_paper
