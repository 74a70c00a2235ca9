#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "emulator/core/random.h"
#include "tests/network/myrinet/worm_case.h"

namespace morgana::testing {

/// Small cases by chance, the same for the same seed: 2 to 6 switches, a few hosts at each, parallel trunks
/// and unused ports; packets from sparse to all at once, their routes legal or just minimal, by ports, turns
/// or both, with up to two hosts in transit; where deadlocks are broken, some go out to explore; the paper's
/// parameters, or round ones, with which much happens in the same instant, or odd picoseconds; in some cases
/// programs at the interfaces; and in some short patience, routes that do not fit, corruption, and channels
/// that die. Every packet has a fate in the end: where a deadlock is possible, patience is finite.
class RandomWorms {
 public:
  explicit RandomWorms(std::uint64_t seed)
      : random_(seed, "worm case"), turns_(seed, "turns"), stops_(seed, "stops") {}

  WormCase make() {
    cable();
    orient();
    most_in_transit_ = below(3);
    safe_ = random_.chance(0.6);
    set_parameters();
    spoilt_ = case_.parameters.deadlock_timeout && random_.chance(0.3);
    send();
    if (random_.chance(0.3)) corrupt();
    if (random_.chance(0.3)) kill();
    if (random_.chance(0.3))
      case_.parameters.program = SimTime::from_ps(unit_ * below(static_cast<std::uint64_t>(400'000 / unit_)));
    if (case_.parameters.deadlock_timeout && turns_.chance(0.5)) explore();
    if (stops_.chance(0.3)) stop();
    return std::move(case_);
  }

 private:
  using Route = std::vector<std::vector<std::uint32_t>>;
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};
  struct Neighbour {
    std::uint32_t at, port;
    bool up;
  };

  std::uint32_t below(std::uint64_t bound) { return static_cast<std::uint32_t>(random_.below(bound)); }
  template <typename T>
  void shuffle(std::vector<T>& all) {
    for (std::size_t n = all.size(); n > 1; --n) std::swap(all[n - 1], all[random_.below(n)]);
  }
  std::uint32_t switches() const { return static_cast<std::uint32_t>(case_.graph.ports.size()); }
  std::uint32_t hosts() const { return static_cast<std::uint32_t>(case_.graph.hosts.size()); }

  void cable() {
    WormGraph& graph = case_.graph;
    graph.ports.assign(2 + random_.below(5), 0);
    for (std::uint32_t s = 1; s < switches(); ++s) join(below(s), s);
    for (std::uint64_t more = random_.below(switches() + 1); more > 0; --more) {
      const std::uint32_t a = below(switches());
      join(a, (a + 1 + below(switches() - 1)) % switches());
    }
    for (std::uint32_t s = 0; s < switches(); ++s)
      for (std::uint64_t more = 1 + random_.below(4); more > 0; --more)
        graph.hosts.push_back({s, graph.ports[s]++});
    // Any cable at any port, some ports unused.
    for (std::uint32_t s = 0; s < switches(); ++s) {
      graph.ports[s] += below(3);
      std::vector<std::uint32_t> places(graph.ports[s]);
      for (std::uint32_t port = 0; port < places.size(); ++port) places[port] = port;
      shuffle(places);
      for (WormGraph::Trunk& trunk : graph.trunks)
        for (WormGraph::At* at : {&trunk.a, &trunk.b})
          if (at->number == s) at->port = places[at->port];
      for (WormGraph::At& at : graph.hosts)
        if (at.number == s) at.port = places[at.port];
    }
  }
  void join(std::uint32_t a, std::uint32_t b) {
    WormGraph& graph = case_.graph;
    graph.trunks.push_back({{a, graph.ports[a]++}, {b, graph.ports[b]++}});
  }

  /// Breadth first from a random root: up is closer to it, or to the lower number.
  void orient() {
    neighbours_.assign(switches(), {});
    for (const auto& [a, b] : case_.graph.trunks) {
      neighbours_[a.number].push_back({b.number, a.port, false});
      neighbours_[b.number].push_back({a.number, b.port, false});
    }
    std::vector<std::uint32_t> level(switches(), nowhere);
    std::deque<std::uint32_t> open{below(switches())};
    level[open.front()] = 0;
    for (; !open.empty(); open.pop_front())
      for (const Neighbour& next : neighbours_[open.front()])
        if (level[next.at] == nowhere) {
          level[next.at] = level[open.front()] + 1;
          open.push_back(next.at);
        }
    for (std::uint32_t s = 0; s < switches(); ++s)
      for (Neighbour& next : neighbours_[s])
        next.up = std::pair(level[next.at], next.at) < std::pair(level[s], s);
  }

  /// Output ports from a host to another on a shortest path, up before down if it is to be safe.
  std::vector<std::uint32_t> leg(std::uint32_t from, std::uint32_t to) {
    struct Step {
      std::uint32_t at;
      bool down;  // no way up any more
      std::uint32_t before, port;
    };
    const WormGraph::At start = case_.graph.hosts[from], end = case_.graph.hosts[to];
    std::vector<Step> steps{{start.number, false, nowhere, 0}};
    std::vector<bool> seen(2 * switches(), false);
    std::uint32_t here = 0;
    for (; steps[here].at != end.number; ++here) {
      std::vector<Neighbour> next = neighbours_[steps[here].at];
      shuffle(next);
      for (const auto& [at, port, up] : next) {
        if (safe_ && up && steps[here].down) continue;
        const bool down = safe_ && !up;
        if (seen[2 * at + down]) continue;
        seen[2 * at + down] = true;
        steps.push_back({at, down, here, port});
      }
    }
    std::vector<std::uint32_t> ports{end.port};
    for (; here != 0; here = steps[here].before) ports.push_back(steps[here].port);
    std::reverse(ports.begin(), ports.end());
    return ports;
  }

  void set_parameters() {
    WormParameters& p = case_.parameters;
    p.one_routing_unit = random_.chance(0.5);
    const std::uint32_t times = below(3);  // the paper's, round, odd
    unit_ = times == 1 ? p.flit.ps() : 1;
    if (times == 1) {
      for (SimTime* time : {&p.cable, &p.control}) *time = SimTime::from_ps(unit_ * (1 + below(12)));
      p.routing = SimTime::from_ps(unit_ * (1 + below(30)));
      for (SimTime* time : {&p.detection, &p.programming}) *time = SimTime::from_ps(unit_ * below(50));
      p.host_memory_delay = SimTime::from_ps(unit_ * below(1000));
    } else if (times == 2) {
      p.flit = SimTime::from_ps(500 + below(20'000));
      for (SimTime* time : {&p.cable, &p.control}) *time = SimTime::from_ps(1 + below(100'000));
      p.routing = SimTime::from_ps(1 + below(300'000));
      for (SimTime* time : {&p.detection, &p.programming}) *time = SimTime::from_ps(below(400'000));
      p.host_memory_delay = SimTime::from_ps(below(10'000'000));
    }
    if (times != 0 && random_.chance(0.6)) {
      p.stop_above = 1 + below(80);
      p.go_below = 1 + below(static_cast<std::uint64_t>(p.stop_above + 1));
    }
    const std::int64_t late = (p.control + p.cable + p.flit - SimTime::from_ps(1)) / p.flit + 1;
    p.buffer = std::max(p.stop_above + late, times == 0 ? p.buffer : 0);
    if (random_.chance(0.3)) p.type_bytes = 1 + below(8);
    if (random_.chance(0.6)) p.pool = below(random_.chance(0.5) ? 300 : 3000);
    p.overflow_to_host_memory = random_.chance(0.5);
    p.priority_threshold = random_.chance(0.3) ? 8 : below(4);
    if (!safe_)
      p.deadlock_timeout =
          SimTime::from_ps(unit_ * (1 + below(static_cast<std::uint64_t>(30'000'000 / unit_))));
    else if (random_.chance(0.6))
      p.deadlock_timeout.reset();
    if (p.deadlock_timeout && turns_.chance(0.5)) be_impatient(late);
  }

  /// Short patience, and buffers that stop early and must be empty to go on: connections are broken.
  void be_impatient(std::int64_t late) {
    WormParameters& p = case_.parameters;
    const auto most = static_cast<std::uint64_t>((turns_.chance(0.5) ? 1'000'000 : 10'000'000) / unit_);
    p.deadlock_timeout = SimTime::from_ps(unit_ * (1 + static_cast<std::int64_t>(turns_.below(most))));
    if (turns_.chance(0.3)) return;
    p.stop_above = 1 + static_cast<std::int64_t>(turns_.below(turns_.chance(0.5) ? 4 : 40));
    p.go_below = 1;
    p.buffer = p.stop_above + late;
  }

  SimTime within(std::int64_t span) {
    return SimTime::from_ps(unit_ * below(static_cast<std::uint64_t>(span / unit_ + 1)));
  }

  void send() {
    const std::int64_t spans[] = {0, 1'000'000, 10'000'000, 100'000'000, 1'000'000'000};
    span_ = spans[random_.below(5)];
    const std::uint32_t lengths[] = {16, 64, 64, 300, 300, 1500};
    const std::uint32_t longest = lengths[random_.below(6)];
    const bool hot = random_.chance(0.3);
    case_.plan.resize(1 + random_.below(30));
    for (PlannedWorm& worm : case_.plan) {
      worm.at = within(span_);
      worm.to = hot && random_.chance(0.7) ? 0 : below(hosts());
      worm.from = (worm.to + 1 + below(hosts() - 1)) % hosts();
      worm.bytes = 1 + below(random_.chance(0.3) ? 16 : longest);
      const auto [route, added] = routes_.try_emplace({worm.from, worm.to});
      if (added) route->second = new_route(worm.from, worm.to);
      worm.legs = route->second;
    }
    std::stable_sort(case_.plan.begin(), case_.plan.end(),
                     [](const PlannedWorm& a, const PlannedWorm& b) { return a.at < b.at; });
  }

  Route new_route(std::uint32_t from, std::uint32_t to) {
    const bool spoil = spoilt_ && random_.chance(0.2);
    const std::uint32_t how = below(4);
    if (spoil && how == 0) to = below(hosts());
    const std::uint32_t first = from;
    Route route;
    for (std::uint32_t more = below(most_in_transit_ + 1); more > 0; --more) {
      const std::uint32_t via = below(hosts());
      route.push_back(leg(from, via));
      from = via;
    }
    route.push_back(leg(from, to));
    std::vector<std::uint32_t>& ports = route[random_.below(route.size())];
    if (spoil && how == 1) ports.pop_back();
    if (spoil && how == 2) ports.push_back(below(8));
    if (spoil && how == 3) ports[random_.below(ports.size())] = below(10);
    if (turns_.chance(0.5)) turn(first, route);
    return route;
  }

  /// The port that a trunk joins to this one.
  const WormGraph::At* across(const WormGraph::At& end) const {
    const auto is_end = [&end](const WormGraph::At& at) {
      return at.number == end.number && at.port == end.port;
    };
    for (const auto& [a, b] : case_.graph.trunks) {
      if (is_end(a)) return &b;
      if (is_end(b)) return &a;
    }
    return nullptr;
  }

  /// Says the same by turns here and there, as far as the route leads anywhere.
  void turn(std::uint32_t from, Route& route) {
    for (std::vector<std::uint32_t>& leg : route) {
      const WormGraph::At* at = &case_.graph.hosts[from];
      for (std::uint32_t& byte : leg) {
        if (at == nullptr) break;
        const std::uint32_t output = byte;
        if (turns_.chance(0.7)) byte = straight_back + output - at->port;
        const WormGraph::At end{at->number, output};
        at = across(end);
        for (std::uint32_t h = 0; at == nullptr && h < hosts(); ++h)
          if (case_.graph.hosts[h].number == end.number && case_.graph.hosts[h].port == end.port) from = h;
      }
    }
  }

  /// Some packets go wherever chance leads them, often back the way they came: long ones can block themselves
  /// with all their outputs granted.
  void explore() {
    for (PlannedWorm& worm : case_.plan) {
      if (!turns_.chance(0.3)) continue;
      worm.to = PlannedWorm::anywhere;
      worm.bytes = 1 + static_cast<std::uint32_t>(turns_.below(turns_.chance(0.5) ? 8 : 400));
      worm.legs = {wander(case_.graph.hosts[worm.from])};
    }
  }
  std::vector<std::uint32_t> wander(WormGraph::At at) {
    std::vector<std::uint32_t> leg;
    for (std::uint64_t more = 1 + turns_.below(5); more > 0; --more) {
      const auto output = static_cast<std::uint32_t>(turns_.below(case_.graph.ports[at.number] + 1));
      const bool by_turn = turns_.chance(0.8);
      leg.push_back(by_turn ? straight_back + output - at.port : output);
      const WormGraph::At* next = across({at.number, output});
      if (next == nullptr) return leg;
      at = *next;
    }
    if (turns_.chance(0.7)) {
      leg.push_back(straight_back);
      for (std::size_t n = leg.size() - 1; n-- > 0;) leg.push_back(2 * straight_back - leg[n]);
    }
    return leg;
  }

  void corrupt() {
    for (std::uint64_t more = random_.below(case_.plan.size() + 1); more > 0; --more) {
      const std::size_t worm = random_.below(case_.plan.size());
      const std::uint32_t channels[] = {case_.graph.from_host(case_.plan[worm].from),
                                        case_.graph.to_host(case_.plan[worm].to),
                                        below(case_.graph.channels())};
      case_.corruptions.push_back({worm, channels[random_.below(3)]});
    }
  }

  void kill() {
    for (std::uint64_t more = 1 + random_.below(2); more > 0; --more) {
      const SimTime at = within(span_ + 10'000'000);
      const std::uint32_t channel = below(case_.graph.channels());
      const std::uint32_t whole = below(3);  // one channel, a cable, all trunks of a switch
      for (std::uint32_t c = 0; c < case_.graph.channels(); ++c)
        if (c == channel || (whole > 0 && c / 2 == channel / 2) || (whole == 2 && touches(c, channel)))
          case_.deaths.push_back({at, c});
    }
  }
  /// Interfaces that have no room at times, some of them for no time at all.
  void stop() {
    for (std::uint64_t more = 1 + stops_.below(8); more > 0; --more) {
      const auto host = static_cast<std::uint32_t>(stops_.below(hosts()));
      const auto units = [this](std::int64_t most) {
        return SimTime::from_ps(
            unit_ * static_cast<std::int64_t>(stops_.below(static_cast<std::uint64_t>(most / unit_) + 1)));
      };
      const SimTime at = units(span_ + 2'000'000);
      const SimTime until = at + units(stops_.chance(0.2) ? 40'000 : 4'000'000);
      const auto overlaps = [&](const InterfaceStop& one) { return one.host == host; };
      if (std::any_of(case_.stops.begin(), case_.stops.end(), overlaps)) continue;
      case_.stops.push_back({at, host, true});
      case_.stops.push_back({until, host, false});
    }
    std::stable_sort(case_.stops.begin(), case_.stops.end(),
                     [](const InterfaceStop& one, const InterfaceStop& other) { return one.at < other.at; });
  }

  /// Two trunks with an end of the second one's at the same switch.
  bool touches(std::uint32_t one, std::uint32_t other) const {
    const auto& trunks = case_.graph.trunks;
    if (one / 2 >= trunks.size() || other / 2 >= trunks.size()) return false;
    const std::uint32_t at = trunks[other / 2].a.number;
    return trunks[one / 2].a.number == at || trunks[one / 2].b.number == at;
  }

  RandomStream random_, turns_, stops_;  // the latter two: of routes by turns, of interfaces' stops alone
  WormCase case_;
  std::vector<std::vector<Neighbour>> neighbours_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Route> routes_;
  bool safe_ = true, spoilt_ = false;
  std::uint32_t most_in_transit_ = 0;
  std::int64_t unit_ = 1;  // of times, ps
  std::int64_t span_ = 0;  // of injections, ps
};

}  // namespace morgana::testing
