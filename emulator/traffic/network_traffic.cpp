#include "emulator/traffic/network_traffic.h"

#include <algorithm>
#include <optional>

#include "emulator/core/error.h"

namespace morgana {
namespace {

/// What was carried between two times, of which both reports tell since the start.
NetworkLinks between(const NetworkLinks& first, SimTime start, NetworkLinks last, SimTime end) {
  const double window = (end - start).seconds();
  for (std::size_t i = 0; i < last.loads.size(); ++i) {
    LinkLoad& link = last.loads[i];
    const LinkLoad& before = first.loads[i];
    const auto share = [&](double now, double then) {
      if (window <= 0) return 0.0;
      return std::clamp((now * end.seconds() - then * start.seconds()) / window, 0.0, 1.0);
    };
    link.carried -= before.carried;
    link.utilisation = share(link.utilisation, before.utilisation);
    if (link.stopped) link.stopped = share(*link.stopped, before.stopped.value_or(0));
  }
  return last;
}

/// Tells how long after the first of two messages the second one leaves.
struct Departures : UnitListener {
  void unit_departed(UnitId, PortId) override { times[count++] = events.now(); }
  void unit_delivered(UnitId, PortId) override {}
  void unit_lost(UnitId) override {}
  EventQueue& events;
  std::size_t count = 0;
  SimTime times[2] = {};
  explicit Departures(EventQueue& queue) : events(queue) {}
};

}  // namespace

NetworkTraffic measure_network(const NetworkUnderTest& under_test, const Destinations& destinations,
                               double load, const TrafficSettings& settings) {
  EventQueue events;
  const std::unique_ptr<Network> network = under_test.make(events, settings.seed);
  TrafficSettings by_host = settings;
  by_host.load = load / under_test.hosts_per_switch();
  NetworkTraffic traffic;
  NetworkLinks before;
  SimTime start;
  traffic.result = measure_traffic(events, *network, destinations, by_host, [&] {
    start = events.now();
    before = network->links(start);
  });
  traffic.accepted = traffic.result.accepted;
  traffic.accepted.mean *= under_test.hosts_per_switch();
  traffic.accepted.radius *= under_test.hosts_per_switch();
  traffic.links = between(before, start, network->links(events.now()), events.now());
  traffic.troubles = troubles_in(network->counted(events.now()));
  if (traffic.result.stalled) traffic.standstill = network->standstill();
  return traffic;
}

namespace {

/// In bytes a nanosecond, of a host that has two messages for another one. Nothing if they don't leave one
/// after the other, as behind a cable that is out.
std::optional<double> host_limit(const NetworkUnderTest& under_test, const TrafficSettings& settings,
                                 std::uint32_t from, std::uint32_t to) {
  EventQueue events;
  const std::unique_ptr<Network> network = under_test.make(events, settings.seed);
  check_length(settings.length, *network);
  Departures departures(events);
  network->report_to(departures);
  for (std::uint64_t number = 0; number < 2; ++number)
    network->inject({UnitId{number}, PortId{from}, PortId{to}, settings.length});
  // A network that has something to do by itself goes on for ever.
  constexpr int patience = 1'000'000;
  for (int handled = 0; departures.count < 2 && handled < patience && !events.empty(); ++handled)
    events.handle_next();
  if (departures.count < 2 || departures.times[1] <= departures.times[0]) return std::nullopt;
  const double ns = static_cast<double>((departures.times[1] - departures.times[0]).ps()) / ps_per_ns;
  return static_cast<double>(settings.length.count()) / ns;
}

}  // namespace

double injection_limit(const NetworkUnderTest& under_test, const TrafficSettings& settings) {
  const auto hosts = static_cast<std::uint32_t>(under_test.hosts);
  for (std::uint32_t host = 0; host < hosts; ++host) {
    // A host may have another cable for its neighbours than for those far away.
    const std::uint32_t neighbour = host + 1 < hosts ? host + 1 : host - 1;
    const std::uint32_t remote = host == hosts - 1 ? 0 : hosts - 1;
    const auto near = host_limit(under_test, settings, host, neighbour);
    const auto far = host_limit(under_test, settings, host, remote);
    if (near || far) return under_test.hosts_per_switch() * std::max(near.value_or(0), far.value_or(0));
  }
  throw Error(
      "no host of this network can send two messages one after the other: nothing tells what load is "
      "possible; do faults (network.faults) cut off all of them?");
}

double idle_load(const NetworkUnderTest& under_test, const TrafficSettings& settings) {
  constexpr double share = 0.02;
  return share * injection_limit(under_test, settings);
}

}  // namespace morgana
