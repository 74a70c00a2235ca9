#include <fmt/format.h>

#include "emulator/topology/count_lists.h"
#include "emulator/topology/growth.h"
#include "emulator/topology/kinds/tier_keys.h"
#include "emulator/topology/kinds/xgft.h"
#include "emulator/topology/topology_kind.h"

// The three-level fat tree of data centres: pods of leaves (edge switches) and spines (aggregation switches),
// and core switches above them. Source: Al-Fares, Loukissas and Vahdat, "A Scalable, Commodity Data Center
// Network Architecture", SIGCOMM 2008: k pods of k/2 edge and k/2 aggregation switches, (k/2)^2 core switches
// of k ports, k/2 hosts on each edge switch. Spine i of every pod is joined to the same core switches: an
// XGFT of three levels.

namespace morgana {
namespace {

struct Pods {
  std::uint32_t pods = 4;
  std::uint32_t cores = 0;  ///< above each spine of a pod; 0: half as many as pods
};

const Table<Pods>& pods_table() {
  static const auto table =
      Table<Pods>("network")
          .key("pods", &Pods::pods, "of a pod-tree", {.at_least = "1", .at_most = "1024", .unit = "pods"})
          .key("cores", &Pods::cores,
               "of a pod-tree: core switches above each spine of a pod, which all pods share (auto: half as "
               "many as "
               "pods)",
               {.at_least = "1", .at_most = "1024", .unit = "switches", .zero_word = "auto"});
  return table;
}

topology::XgftShape pod_shape(const Settings& settings) {
  const Pods pods = pods_table().read(settings);
  const topology::TierSizes sizes = topology::tier_table().read(settings);
  const auto or_half = [&](unsigned said, const char* what) {
    if (said > 0) return said;
    if (pods.pods % 2 == 0) return pods.pods / 2;
    throw TopologyError(
        "network.pods",
        fmt::format("{} pods have no half for network.{}: set that, or an even number of pods", pods.pods,
                    what));
  };
  return {{or_half(sizes.leaves, "leaves"), pods.pods},
          {or_half(sizes.spines, "spines"), or_half(pods.cores, "cores")},
          topology::parallel_cables(settings, 2, "level")};
}

}  // namespace

TopologyKind pod_tree_kind() {
  std::vector<Key> keys = pods_table().keys();
  for (const Key& key : topology::tier_table().keys()) keys.push_back(key);
  keys.push_back(topology::parallel_cables_key());
  TopologyKind kind{
      "pod-tree",
      "the three-level fat tree of data centres: `pods` of `leaves` and `spines`, and `cores` above each "
      "spine; "
      "hosts on the leaves, switches 0 and following",
      std::move(keys),
      "network.pods",
      [](const Settings& settings, const SwitchPorts& ports) {
        return topology::graph_of(topology::xgft(pod_shape(settings)), ports.hosts);
      },
      [](const Settings& settings, std::size_t) {
        const auto levels = topology::xgft_levels(pod_shape(settings));
        return NetworkShape{NetworkShape::Kind::levels, levels.front(), {levels.begin(), levels.end()}};
      },
      {},
      [](const Settings& settings, const SwitchPorts&) {
        TopologyFacts facts = topology::xgft_facts(pod_shape(settings));
        facts.tiers = {"leaf-spine", "spine-core"};
        return facts;
      }};
  // By pods, as they are.
  kind.grown = [](const Settings& before, const SwitchPorts&, const topology::Growth& growth) {
    const topology::XgftShape was = pod_shape(before);
    const topology::XgftShape shape = topology::grown_tree(was, growth, "pod-tree", was.children.size() + 1);
    Settings settings = before;
    settings["network.pods"] = std::int64_t{shape.children.back()};
    settings["network.leaves"] = std::int64_t{shape.children.front()};
    settings["network.spines"] = std::int64_t{shape.parents.front()};
    settings["network.cores"] = std::int64_t{shape.parents.back()};
    settings[topology::parallel_cables_key().name] = topology::list_text(shape.cables);
    return settings;
  };
  return kind;
}

}  // namespace morgana
