#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "emulator/core/units.h"
#include "emulator/routing/switch_tables.h"
#include "tests/network/harness.h"

namespace morgana::testing {

/// Bridges, hosts and full-duplex cables between them, as plain lists.
struct BridgedLan {
  struct Cable {
    std::uint32_t a, b;  ///< bridges; of a host's cable a is the bridge and b the host
    std::int64_t bits_per_second;
    SimTime propagation;
    std::optional<SimTime> dies = {};
  };
  std::uint32_t bridges = 1;
  std::vector<Cable> trunks, hosts;
  SimTime forwarding;
  std::int64_t buffer_frames = 0;
  RoutesKind routes = RoutesKind::spanning_tree;
  std::uint32_t root = 0;
  std::uint64_t seed = 1;
  SimTime convergence;
};

/// The oracle for SwitchedEthernet: every step of every frame at every port is an event, every queue is a
/// queue. The spanning tree is found as bridges find it, by telling each other what they know until nothing
/// is news; shortest ways come from a table of all distances, and which of several equally short ones a frame
/// takes is worked out anew at each bridge. Its sizes and costs are its own.
class ReferenceBridges {
 public:
  struct Counters {
    std::int64_t in = 0, lost = 0;
    SimTime waited, taken;
    bool operator==(const Counters&) const = default;
  };

  explicit ReferenceBridges(const BridgedLan& lan) : lan_(lan), hosts_(lan.hosts.size()), out_(lan.bridges) {
    // A bridge's hosts have its first ports, then the trunks in their order.
    for (std::uint32_t host = 0; host < lan.hosts.size(); ++host)
      out_[lan.hosts[host].a].push_back({true, host, 0, &lan_.hosts[host]});
    for (std::uint32_t i = 0; i < lan.trunks.size(); ++i) {
      const std::uint32_t a = lan.trunks[i].a, b = lan.trunks[i].b;
      const auto at_a = static_cast<std::uint32_t>(out_[a].size());
      const auto at_b = static_cast<std::uint32_t>(out_[b].size());
      out_[a].push_back({false, b, at_b, &lan_.trunks[i]});
      out_[b].push_back({false, a, at_a, &lan_.trunks[i]});
    }
    for (std::uint32_t host = 0; host < lan.hosts.size(); ++host) hosts_[host].cable = &lan_.hosts[host];
    learn(SimTime::from_ps(-1));
  }

  std::vector<Fate> run(const std::vector<Planned>& plan) {
    plan_ = plan;
    fates_.assign(plan.size(), {});
    for (const auto* cables : {&lan_.trunks, &lan_.hosts})
      for (const BridgedLan::Cable& cable : *cables)
        if (cable.dies)
          later((*cable.dies + lan_.convergence).ps(), tables_change, 0,
                [this, when = *cable.dies] { learn(when); });
    for (std::size_t unit = 0; unit < plan.size(); ++unit)
      later(plan[unit].at.ps(), arrival, unit, [this, unit] {
        Port& own = hosts_[plan_[unit].from];
        own.queue.push_back({unit, now_});
        pump(own);
      });
    while (!agenda_.empty()) {
      const auto next = agenda_.begin();
      now_ = std::get<0>(next->first);
      const auto step = std::move(next->second);
      agenda_.erase(next);
      step();
    }
    return fates_;
  }

  /// Of each bridge's ports.
  std::vector<std::vector<Counters>> counters() const {
    std::vector<std::vector<Counters>> all(out_.size());
    for (std::size_t bridge = 0; bridge < out_.size(); ++bridge)
      for (const Port& port : out_[bridge]) all[bridge].push_back(port.counters);
    return all;
  }

 private:
  struct Tables {
    std::vector<std::vector<std::vector<std::size_t>>> ports;  // by bridge and last bridge: all equally good
    std::vector<std::uint64_t> divisor;                        // of each bridge, for D-mod-K
  };
  // A frame that leaves makes room for one that comes just then; frames that come together do so in the
  // order of injection, the order of their numbers.
  enum Order { tables_change, end_of_transmission, arrival };
  struct Waiting {
    std::size_t unit;
    std::int64_t since;
  };
  struct Port {
    bool to_host = true;
    std::uint32_t other = 0, port_there = 0;
    const BridgedLan::Cable* cable = nullptr;
    std::deque<Waiting> queue = {};
    bool taken = false;         // by a frame or the gap after it
    std::size_t in_buffer = 0;  // the one in transmission included
    Counters counters = {};
  };

  void later(std::int64_t at, Order order, std::size_t unit, std::function<void()> step) {
    agenda_.emplace(std::tuple(at, order, unit), std::move(step));
  }
  static SimTime time_for(std::int64_t bytes, const BridgedLan::Cable& cable) {
    return BitRate(cable.bits_per_second).time_for(Bytes(bytes));
  }

  void pump(Port& port) {
    if (port.taken || port.queue.empty()) return;
    const std::size_t unit = port.queue.front().unit;  // no structured binding: clang 14 captures none
    const std::int64_t since = port.queue.front().since;
    port.queue.pop_front();
    port.taken = true;
    const bool at_host = &port >= hosts_.data() && &port < hosts_.data() + hosts_.size();
    const SimTime wire = time_for(8 + 14 + std::max<std::int64_t>(plan_[unit].bytes, 46) + 4, *port.cable);
    const SimTime gap = time_for(12, *port.cable);
    port.counters.waited += SimTime::from_ps(now_ - since);
    port.counters.taken += wire + gap;
    later(now_ + wire.ps(), end_of_transmission, unit, [this, unit, gap, at_host, &port] {
      if (at_host)
        fates_[unit].departed = SimTime::from_ps(now_);
      else
        --port.in_buffer;
      later(now_ + gap.ps(), end_of_transmission, unit, [this, &port] {
        port.taken = false;
        pump(port);
      });
      later(now_ + port.cable->propagation.ps(), arrival, unit, [this, unit, at_host, &port] {
        if (port.cable->dies && port.cable->dies->ps() < now_)
          fates_[unit].lost = SimTime::from_ps(now_);
        else if (port.to_host && !at_host)
          fates_[unit].delivered = SimTime::from_ps(now_);
        else
          later(now_ + lan_.forwarding.ps(), arrival, unit,
                [this, unit, bridge = at_host ? port.cable->a : port.other] { offer(unit, bridge); });
      });
    });
  }

  /// SplitMix64's output function.
  static std::uint64_t mixed(std::uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31);
  }

  /// D-mod-K's numbering of ports: the first cable to each of the bridges that they lead to, then the second
  /// to each, until none is left.
  std::vector<std::size_t> by_rounds(std::uint32_t bridge, std::vector<std::size_t> left) const {
    std::vector<std::size_t> ordered;
    while (!left.empty()) {
      std::set<std::uint32_t> had;  // in this round
      std::vector<std::size_t> later_rounds;
      for (const std::size_t port : left)
        (had.insert(out_[bridge][port].other).second ? ordered : later_rounds).push_back(port);
      left = std::move(later_rounds);
    }
    return ordered;
  }

  /// The port that a frame takes at a bridge by some tables; nothing if none leads on.
  std::optional<std::size_t> port_for(std::size_t unit, std::uint32_t bridge, std::size_t version) const {
    const std::uint32_t from = plan_[unit].from, to = plan_[unit].to;
    const std::vector<std::size_t>& equal = versions_[version].ports[bridge][lan_.hosts[to].a];
    if (equal.empty()) return std::nullopt;
    switch (lan_.routes) {
      case RoutesKind::ecmp: {
        const std::uint64_t flow = (std::uint64_t{from} << 32) + to;
        const std::uint64_t salt = mixed(lan_.seed + (bridge + 1ULL) * 0x9e3779b97f4a7c15ULL);
        return equal[mixed(flow ^ salt) % equal.size()];
      }
      case RoutesKind::d_mod_k:
        return by_rounds(bridge, equal)[to / versions_[version].divisor[bridge] % equal.size()];
      default:  // others than the spanning tree are not tried
        break;
    }
    return equal.front();
  }

  /// The ports from bridge to bridge that a frame takes by some tables, as far as they lead.
  std::vector<std::size_t> way(std::size_t unit, std::size_t version) const {
    const std::uint32_t last = lan_.hosts[plan_[unit].to].a;
    std::vector<std::size_t> ports;
    for (std::uint32_t at = lan_.hosts[plan_[unit].from].a; at != last;) {
      const auto port = port_for(unit, at, version);
      if (!port) break;
      ports.push_back(*port);
      at = out_[at][*port].other;
    }
    return ports;
  }

  void offer(std::size_t unit, std::uint32_t bridge) {
    const std::uint32_t host = plan_[unit].to, last = lan_.hosts[host].a;
    const std::size_t entered = entered_with_.try_emplace(unit, versions_.size() - 1).first->second;
    for (std::size_t version = entered + 1; version < versions_.size(); ++version) {
      if (way(unit, version) == way(unit, entered)) continue;
      fates_[unit].lost = SimTime::from_ps(now_);
      return;
    }
    std::optional<std::size_t> number;
    if (bridge == last) {
      for (std::size_t i = 0; i < out_[bridge].size(); ++i)
        if (out_[bridge][i].to_host && out_[bridge][i].other == host) number = i;
    } else {
      number = port_for(unit, bridge, versions_.size() - 1);
    }
    if (!number) {
      fates_[unit].lost = SimTime::from_ps(now_);
      return;
    }
    Port& output = out_[bridge][*number];
    ++output.counters.in;
    if (lan_.buffer_frames > 0 && static_cast<std::int64_t>(output.in_buffer) == lan_.buffer_frames) {
      ++output.counters.lost;
      fates_[unit].lost = SimTime::from_ps(now_);
      return;
    }
    ++output.in_buffer;
    output.queue.push_back({unit, now_});
    pump(output);
  }

  bool alive(const Port& port, SimTime now) const { return !port.cable->dies || *port.cable->dies > now; }

  /// All bridges' tables, without what has died at `now` or before.
  void learn(SimTime now) {
    std::vector<std::vector<bool>> open(lan_.bridges);
    for (std::uint32_t b = 0; b < lan_.bridges; ++b)
      for (const Port& port : out_[b])
        open[b].push_back(!port.to_host && port.other != b && alive(port, now));
    if (lan_.routes == RoutesKind::spanning_tree) block_all_but_the_tree(open);
    constexpr std::uint32_t far = 1'000'000;
    std::vector<std::vector<std::uint32_t>> distance(lan_.bridges, std::vector(lan_.bridges, far));
    for (std::uint32_t b = 0; b < lan_.bridges; ++b) {
      distance[b][b] = 0;
      for (std::size_t i = 0; i < out_[b].size(); ++i)
        if (open[b][i]) distance[b][out_[b][i].other] = 1;
    }
    for (std::uint32_t k = 0; k < lan_.bridges; ++k)
      for (std::uint32_t i = 0; i < lan_.bridges; ++i)
        for (std::uint32_t j = 0; j < lan_.bridges; ++j)
          distance[i][j] = std::min(distance[i][j], distance[i][k] + distance[k][j]);
    Tables tables;
    tables.ports.assign(lan_.bridges, std::vector<std::vector<std::size_t>>(lan_.bridges));
    for (std::uint32_t b = 0; b < lan_.bridges; ++b)
      for (std::uint32_t to = 0; to < lan_.bridges; ++to)
        for (std::size_t i = 0; i < out_[b].size(); ++i)
          if (b != to && open[b][i] && distance[out_[b][i].other][to] + 1 == distance[b][to] &&
              distance[b][to] < far)
            tables.ports[b][to].push_back(i);
    find_divisors(tables, open, distance);
    versions_.push_back(std::move(tables));
  }

  /// A bridge's level is the distance to the nearest one with hosts; its divisor is the product, over the
  /// levels below, of the most bridges one level above it that a bridge of that level has open trunks to.
  void find_divisors(Tables& tables, const std::vector<std::vector<bool>>& open,
                     const std::vector<std::vector<std::uint32_t>>& distance) const {
    constexpr std::uint32_t far = 1'000'000;
    std::vector<std::uint32_t> level(lan_.bridges, far);
    for (std::uint32_t b = 0; b < lan_.bridges; ++b)
      for (const BridgedLan::Cable& host : lan_.hosts) level[b] = std::min(level[b], distance[b][host.a]);
    tables.divisor.assign(lan_.bridges, 1);
    for (std::uint32_t b = 0; b < lan_.bridges; ++b) {
      if (level[b] == far) continue;
      for (std::uint32_t below = 0; below < level[b]; ++below) {
        std::uint64_t most = 1;
        for (std::uint32_t other = 0; other < lan_.bridges; ++other) {
          if (level[other] != below) continue;
          std::set<std::uint32_t> above;
          for (std::size_t i = 0; i < out_[other].size(); ++i)
            if (open[other][i] && level[out_[other][i].other] == below + 1)
              above.insert(out_[other][i].other);
          most = std::max<std::uint64_t>(most, above.size());
        }
        tables.divisor[b] *= most;
      }
    }
  }

  /// What a bridge says on a port: its root, the cost to it, itself, the port.
  using Message = std::tuple<std::uint32_t, std::uint64_t, std::uint32_t, std::size_t>;

  /// Bridges by identifier: the root first.
  std::uint32_t identifier(std::uint32_t bridge) const { return bridge == lan_.root ? 0 : bridge + 1; }

  void block_all_but_the_tree(std::vector<std::vector<bool>>& open) const {
    struct Belief {
      std::uint32_t root;
      std::uint64_t cost = 0;
      std::optional<std::size_t> root_port = {};
      bool operator==(const Belief&) const = default;
    };
    std::vector<Belief> beliefs;
    for (std::uint32_t b = 0; b < lan_.bridges; ++b) beliefs.push_back({identifier(b)});
    // In each round all hear what their neighbours believed before; then each starts from itself again.
    for (std::uint32_t round = 0; round < 2 * lan_.bridges + 2; ++round) {
      std::vector<Belief> next;
      for (std::uint32_t b = 0; b < lan_.bridges; ++b) {
        Belief belief{identifier(b)};
        std::tuple<Message, std::size_t> best{{identifier(b), 0, identifier(b), 0}, 0};
        for (std::size_t i = 0; i < out_[b].size(); ++i) {
          if (!open[b][i]) continue;
          const Port& port = out_[b][i];
          const Belief& theirs = beliefs[port.other];
          // 802.1D-2004: 20,000,000,000 over the rate in kb/s.
          const auto kilobits = static_cast<std::uint64_t>(port.cable->bits_per_second / 1000);
          const std::uint64_t cost = theirs.cost + std::max<std::uint64_t>(1, 20'000'000'000 / kilobits);
          const std::tuple<Message, std::size_t> heard{
              {theirs.root, cost, identifier(port.other), port.port_there}, i};
          if (heard < best) {
            best = heard;
            belief = {theirs.root, cost, i};
          }
        }
        next.push_back(belief);
      }
      beliefs = std::move(next);
    }
    std::vector<std::vector<bool>> tree(lan_.bridges);
    for (std::uint32_t b = 0; b < lan_.bridges; ++b) tree[b].resize(out_[b].size());
    for (std::uint32_t b = 0; b < lan_.bridges; ++b) {
      if (!beliefs[b].root_port) continue;
      const Port& port = out_[b][*beliefs[b].root_port];
      tree[b][*beliefs[b].root_port] = true;
      tree[port.other][port.port_there] = true;
    }
    open = std::move(tree);
  }

  BridgedLan lan_;
  std::vector<Port> hosts_;
  std::vector<std::vector<Port>> out_;
  std::vector<Tables> versions_;                     // all that there have been
  std::map<std::size_t, std::size_t> entered_with_;  // by unit: the version when it came to its first bridge
  std::vector<Planned> plan_;
  std::vector<Fate> fates_;
  std::multimap<std::tuple<std::int64_t, Order, std::size_t>, std::function<void()>> agenda_;
  std::int64_t now_ = 0;
};

}  // namespace morgana::testing
