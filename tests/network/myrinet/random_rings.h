#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/core/random.h"
#include "tests/network/myrinet/small_graphs.h"
#include "tests/network/myrinet/worm_case.h"

namespace morgana::testing {

/// Crowded rings by chance, the same for the same seed: 3 to 6 switches whose hosts send mostly short packets
/// some switches on, all the same way round, so that circles of granted outputs stand still until patience,
/// which is short, ends; in some cases hosts in transit, channels that die, and instants that coincide.
inline WormCase random_ring(std::uint64_t seed) {
  RandomStream random(seed, "ring of worms");
  const auto below = [&random](std::uint64_t bound) {
    return static_cast<std::uint32_t>(random.below(bound));
  };
  const std::uint32_t switches = 3 + below(4);
  WormCase given{row(switches, true), {}, {}, {}, {}};
  WormParameters& p = given.parameters;
  p.one_routing_unit = random.chance(0.5);
  const bool round = random.chance(0.5);
  const std::int64_t unit = round ? p.flit.ps() : 1;
  const auto time = [&](std::int64_t most) {
    return SimTime::from_ps(unit * (1 + below(static_cast<std::uint64_t>(most / unit))));
  };
  p.cable = time(60'000);
  p.control = time(60'000);
  p.routing = time(200'000);
  p.stop_above = 1 + below(random.chance(0.5) ? 6 : 60);
  p.go_below = 1 + below(static_cast<std::uint64_t>(p.stop_above) + 1);
  p.buffer = p.stop_above + (p.control + p.cable + p.flit - SimTime::from_ps(1)) / p.flit + 1;
  p.deadlock_timeout = time(random.chance(0.3) ? 20'000 : random.chance(0.5) ? 1'000'000 : 10'000'000);
  p.pool = below(2000);
  p.overflow_to_host_memory = random.chance(0.5);
  const std::uint32_t longest = random.chance(0.7) ? 16 : 300;
  const std::int64_t span = random.chance(0.5) ? 1'000'000 : 10'000'000;
  const auto leg = [&](std::uint32_t& host) {
    const std::uint32_t on = 1 + below(switches);
    std::vector<std::uint32_t> ports(on, 2);
    ports.push_back(below(2));
    host = 2 * ((host / 2 + on) % switches) + ports.back();
    return ports;
  };
  const double in_transit = random.chance(0.3) ? 0.4 : 0;
  for (std::uint32_t packets = 20 + below(80); packets > 0; --packets) {
    const std::uint32_t from = below(2 * switches);
    PlannedWorm worm{time(span), from, PlannedWorm::anywhere, 1 + below(longest), {}};
    std::uint32_t at = from;
    worm.legs.push_back(leg(at));
    if (random.chance(in_transit)) worm.legs.push_back(leg(at));
    given.plan.push_back(worm);
  }
  std::stable_sort(given.plan.begin(), given.plan.end(),
                   [](const PlannedWorm& a, const PlannedWorm& b) { return a.at < b.at; });
  if (random.chance(0.2)) given.deaths.push_back({time(span), below(given.graph.channels())});
  return given;
}

}  // namespace morgana::testing
