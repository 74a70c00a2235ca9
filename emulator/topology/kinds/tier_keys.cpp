#include "emulator/topology/kinds/tier_keys.h"

#include <fmt/format.h>

#include <cmath>

#include "emulator/topology/switch_graph.h"
#include "emulator/topology/topology_kind.h"

namespace morgana::topology {
namespace {

struct Subscription {
  double factor = 0;  ///< rate of a leaf's hosts over that of its trunks; 0: whatever the spines make of it
};

const Table<Subscription>& subscription_table() {
  static const auto table = Table<Subscription>("network").key(
      "oversubscription", &Subscription::factor,
      "the rate of a leaf's hosts over that of its trunks, 1 for full bisection: says how many spines a "
      "leaf-spine has (spines are auto; it needs hosts-per-switch), and how many uplinks the leaves of a "
      "fat-tree, which keeps its leaves and hosts; open: as spines or arity, parallel-cables and rates make "
      "it",
      {.at_least = "0.01", .at_most = "1000", .zero_word = "open"});
  return table;
}

}  // namespace

Key subscription_key() {
  return subscription_table().keys().front();
}

double oversubscription(const Settings& settings) {
  return subscription_table().read(settings).factor;
}

unsigned uplinks_for(double factor, unsigned hosts, double trunk_speed, unsigned cables, const char* change) {
  const double trunks = hosts / (factor * trunk_speed);
  const double above = std::round(trunks / cables);
  if (above < 1 || above > static_cast<double>(SwitchGraph::most_switches) ||
      std::abs(above * cables - trunks) > 1e-6 * trunks)
    throw TopologyError(
        subscription_key().name,
        fmt::format("{} hosts a leaf at {:g} to 1 take {:g} trunks up from it, and {} to each spine do not "
                    "make that: change {}",
                    hosts, factor, trunks, cables, change));
  return static_cast<unsigned>(above) * cables;
}

const Table<TierSizes>& tier_table() {
  static const auto table =
      Table<TierSizes>("network")
          .key("leaves", &TierSizes::leaves,
               "switches with hosts, of a leaf-spine (auto: 4), of each pod of a pod-tree (auto: half as "
               "many as "
               "pods) or of each group of a dragonfly-plus (auto: 2)",
               {.at_least = "1", .at_most = "16384", .unit = "leaves", .zero_word = "auto"})
          .key("spines", &TierSizes::spines,
               "switches above the leaves, of a leaf-spine (auto: as oversubscription says, else 2), of each "
               "pod of "
               "a pod-tree (auto: half as many as pods) or of each group of a dragonfly-plus (auto: as many "
               "as "
               "leaves)",
               {.at_least = "1", .at_most = "16384", .unit = "spines", .zero_word = "auto"});
  return table;
}

}  // namespace morgana::topology
