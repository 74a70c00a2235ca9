#include "emulator/topology/kinds/irregular.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "emulator/topology/growth.h"
#include "emulator/topology/hosts.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace topology {
namespace {

using Pairs = std::vector<std::pair<SwitchId, SwitchId>>;

void check(const IrregularShape& shape) {
  const auto [switches, hosts, cables, ports] = shape;
  if (switches == 0) throw Error("an irregular network of 0 switches: give it at least 1");
  if (switches > SwitchGraph::most_switches) {
    throw Error(
        fmt::format("an irregular network of {} switches: at most {}", switches, SwitchGraph::most_switches));
  }
  if (hosts + cables > ports) {
    throw Error(fmt::format("{} hosts and {} cables don't fit a switch of {} ports", hosts, cables, ports));
  }
  if (cables >= switches) {
    throw Error(fmt::format("{} cables a switch to different ones of {} switches: at most {}", cables,
                            switches, switches - 1));
  }
  if (switches % 2 == 1 && cables % 2 == 1) {
    throw Error(fmt::format("{} switches with {} cables each leave an end over: make one of them even",
                            switches, cables));
  }
  if ((cables < 2 && switches > 2) || (cables < 1 && switches > 1)) {
    throw Error(
        fmt::format("{} {} per switch can't join {} switches: set network.cables-per-switch to at least {}",
                    cables, cables == 1 ? "cable" : "cables", switches, switches > 2 ? 2 : 1));
  }
}

/// One attempt; nothing if the ports that are left can't be joined.
std::optional<Pairs> draw(unsigned switches, unsigned cables_per_switch, RandomStream& random) {
  std::vector<SwitchId> free;  // one entry for each free port
  for (SwitchId id = 0; id < switches; ++id) free.insert(free.end(), cables_per_switch, id);
  std::vector<bool> joined(std::size_t{switches} * switches);
  Pairs pairs;
  const auto suitable = [&](SwitchId a, SwitchId b) { return a != b && !joined[a * switches + b]; };
  const auto take = [&](std::size_t at) {
    const SwitchId id = free[at];
    free[at] = free.back();
    free.pop_back();
    return id;
  };
  while (!free.empty()) {
    bool possible = false;
    for (std::size_t i = 0; i < free.size() && !possible; ++i) {
      possible = std::any_of(free.begin(), free.end(), [&](SwitchId b) { return suitable(free[i], b); });
    }
    if (!possible) return std::nullopt;
    std::size_t i = 0, j = 0;
    do {
      i = random.below(free.size());
      j = random.below(free.size());
    } while (!suitable(free[i], free[j]));
    const SwitchId a = take(std::max(i, j)), b = take(std::min(i, j));
    joined[a * switches + b] = joined[b * switches + a] = true;
    pairs.emplace_back(a, b);
  }
  return pairs;
}

/// All pairs but those given.
Pairs others(unsigned switches, const Pairs& pairs) {
  std::vector<bool> given(std::size_t{switches} * switches);
  for (const auto& [a, b] : pairs) given[a * switches + b] = given[b * switches + a] = true;
  Pairs result;
  for (SwitchId a = 0; a < switches; ++a) {
    for (SwitchId b = a + 1; b < switches; ++b) {
      if (!given[a * switches + b]) result.emplace_back(a, b);
    }
  }
  return result;
}

bool connected(unsigned switches, const Pairs& pairs) {
  std::vector<SwitchId> part(switches);
  for (SwitchId id = 0; id < switches; ++id) part[id] = id;
  const auto part_of = [&](SwitchId id) {
    while (part[id] != id) id = part[id] = part[part[id]];
    return id;
  };
  std::size_t parts = switches;
  for (const auto& [a, b] : pairs) {
    const SwitchId first = part_of(a), second = part_of(b);
    if (first != second) --parts;
    part[first] = second;
  }
  return parts == 1;
}

}  // namespace

SwitchGraph irregular(const IrregularShape& shape, std::uint64_t seed) {
  check(shape);
  RandomStream random(seed, "irregular network");
  // Where most pairs are joined it is those that aren't that are drawn: the others would hardly ever come
  // out.
  const bool mostly_joined = 2 * shape.cables_per_switch > shape.switches - 1;
  const unsigned drawn =
      mostly_joined ? shape.switches - 1 - shape.cables_per_switch : shape.cables_per_switch;
  std::optional<Pairs> pairs;
  do {
    pairs = draw(shape.switches, drawn, random);
    if (pairs && mostly_joined) pairs = others(shape.switches, *pairs);
  } while (!pairs || !connected(shape.switches, *pairs));
  SwitchGraph graph;
  for (unsigned n = 0; n < shape.switches; ++n) graph.add_switch(shape.ports_per_switch);
  add_hosts_everywhere(graph, shape.hosts_per_switch);
  for (const auto& [a, b] : *pairs) graph.connect(a, b);
  return graph;
}

}  // namespace topology

namespace {

struct Chance {
  std::uint32_t cables_per_switch = 4;
  std::uint64_t seed = 1;
};

const Table<Chance>& chance_table() {
  static const auto table =
      Table<Chance>("network")
          .key("cables-per-switch", &Chance::cables_per_switch, "to other switches, in an irregular network",
               {.at_least = "1", .at_most = "127", .unit = "cables"})
          .key("topology-seed", &Chance::seed, "of an irregular network's chance");
  return table;
}

}  // namespace

TopologyKind irregular_kind() {
  std::vector<Key> keys = chance_table().keys();
  keys.insert(keys.begin(), switches_key());
  TopologyKind kind{
      "irregular",
      "a random regular graph (Jellyfish): `switches` joined at random by `cables-per-switch` cables "
      "each, at most "
      "one between the same two; hosts on all of them",
      std::move(keys),
      "network.switches",
      [](const Settings& settings, const SwitchPorts& ports) {
        const Chance chance = chance_table().read(settings);
        return topology::irregular(
            {switches_of(settings), ports.hosts, chance.cables_per_switch, ports.ports}, chance.seed);
      },
      [](const Settings&, std::size_t) { return NetworkShape{}; }};
  kind.grown = [](const Settings& before, const SwitchPorts&, const topology::Growth& growth) {
    // An odd number of switches with an odd number of cables each is no graph.
    const std::uint64_t odd = growth.switches() * chance_table().read(before).cables_per_switch % 2;
    Settings settings = before;
    settings[switches_key().name] = static_cast<std::int64_t>(growth.switches() + odd);
    return settings;
  };
  return kind;
}

}  // namespace morgana
