#include "emulator/traffic/network_traffic.h"

#include <algorithm>

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
  return traffic;
}

namespace {

/// In bytes a nanosecond, of host 0 that has two messages for a host.
double host_limit(const NetworkUnderTest& under_test, const TrafficSettings& settings, std::uint32_t to) {
  EventQueue events;
  const std::unique_ptr<Network> network = under_test.make(events, settings.seed);
  check_length(settings.length, *network);
  Departures departures(events);
  network->report_to(departures);
  for (std::uint64_t number = 0; number < 2; ++number)
    network->inject({UnitId{number}, PortId{0}, PortId{to}, settings.length});
  while (departures.count < 2) events.handle_next();
  const double ns = static_cast<double>((departures.times[1] - departures.times[0]).ps()) / ps_per_ns;
  return static_cast<double>(settings.length.count()) / ns;
}

}  // namespace

double injection_limit(const NetworkUnderTest& under_test, const TrafficSettings& settings) {
  // A host may have another cable for its neighbours than for those far away.
  const auto last = static_cast<std::uint32_t>(under_test.hosts - 1);
  const double near = host_limit(under_test, settings, 1), far = host_limit(under_test, settings, last);
  return under_test.hosts_per_switch() * std::max(near, far);
}

double idle_load(const NetworkUnderTest& under_test, const TrafficSettings& settings) {
  constexpr double share = 0.02;
  return share * injection_limit(under_test, settings);
}

}  // namespace morgana
