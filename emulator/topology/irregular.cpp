#include "emulator/topology/irregular.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "emulator/topology/hosts.h"

namespace morgana::topology {
namespace {

using Pairs = std::vector<std::pair<SwitchId, SwitchId>>;

void check(const IrregularShape& shape) {
  const auto [switches, hosts, cables, ports] = shape;
  if (switches == 0) throw Error("an irregular network of 0 switches: give it at least 1");
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
  if (cables < 2 && switches > 2) {
    throw Error(fmt::format("{} cables a switch can't join {} switches: give them 2", cables, switches));
  }
}

/// One attempt; nothing if the ports that are left can't be joined.
std::optional<Pairs> draw(const IrregularShape& shape, RandomStream& random) {
  std::vector<SwitchId> free;  // one entry for each free port
  for (SwitchId id = 0; id < shape.switches; ++id) free.insert(free.end(), shape.cables_per_switch, id);
  std::vector<bool> joined(std::size_t{shape.switches} * shape.switches);
  Pairs pairs;
  const auto suitable = [&](SwitchId a, SwitchId b) { return a != b && !joined[a * shape.switches + b]; };
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
    joined[a * shape.switches + b] = joined[b * shape.switches + a] = true;
    pairs.emplace_back(a, b);
  }
  return pairs;
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
  std::optional<Pairs> pairs;
  do {
    pairs = draw(shape, random);
  } while (!pairs || !connected(shape.switches, *pairs));
  SwitchGraph graph;
  for (unsigned n = 0; n < shape.switches; ++n) graph.add_switch(shape.ports_per_switch);
  add_hosts_everywhere(graph, shape.hosts_per_switch);
  for (const auto& [a, b] : *pairs) graph.connect(a, b);
  return graph;
}

}  // namespace morgana::topology
