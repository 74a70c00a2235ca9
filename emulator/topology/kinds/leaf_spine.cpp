#include <fmt/format.h>

#include "emulator/topology/count_lists.h"
#include "emulator/topology/growth.h"
#include "emulator/topology/kinds/tier_keys.h"
#include "emulator/topology/kinds/xgft.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace {

topology::XgftShape leaf_spine_shape(const Settings& settings, const SwitchPorts& ports) {
  constexpr unsigned usual_leaves = 4, usual_spines = 2;
  const topology::TierSizes sizes = topology::tier_table().read(settings);
  const double oversubscription = topology::oversubscription(settings);
  const std::vector<unsigned> cables = topology::parallel_cables(settings, 1, "level");
  unsigned spines = sizes.spines > 0 ? sizes.spines : usual_spines;
  if (oversubscription > 0) {
    if (sizes.spines > 0)
      throw TopologyError(
          "network.oversubscription",
          fmt::format(
              "network.spines = \"{} spines\" says it already; set network.spines=auto for as many as "
              "network.oversubscription takes",
              sizes.spines));
    if (ports.hosts_said == 0)
      throw TopologyError("network.oversubscription",
                          "it takes a number of hosts on each leaf: set network.hosts-per-switch");
    spines =
        topology::uplinks_for(oversubscription, ports.hosts_said, ports.trunk_speed, cables.front(),
                              "network.hosts-per-switch, network.parallel-cables or network.trunk-rate") /
        cables.front();
  }
  return {{sizes.leaves > 0 ? sizes.leaves : usual_leaves}, {spines}, cables};
}

}  // namespace

TopologyKind leaf_spine_kind() {
  std::vector<Key> keys = topology::tier_table().keys();
  keys.push_back(topology::subscription_key());
  keys.push_back(topology::parallel_cables_key());
  TopologyKind kind{
      "leaf-spine",
      "`leaves`, each joined to each of `spines` by `parallel-cables`; hosts on the leaves, switches 0 and "
      "following",
      std::move(keys),
      "network.leaves",
      [](const Settings& settings, const SwitchPorts& ports) {
        return topology::graph_of(topology::xgft(leaf_spine_shape(settings, ports)), ports.hosts);
      },
      [](const Settings& settings, std::size_t switches) {
        const std::uint32_t said = topology::tier_table().read(settings).leaves;
        const unsigned leaves = said > 0 ? said : 4;
        return NetworkShape{
            NetworkShape::Kind::levels, leaves, {leaves, static_cast<unsigned>(switches) - leaves}};
      },
      {},
      [](const Settings& settings, const SwitchPorts& ports) {
        TopologyFacts facts = topology::xgft_facts(leaf_spine_shape(settings, ports));
        facts.tiers = {"leaf-spine"};
        return facts;
      }};
  // By leaves, and to more spines with fewer parallel cables: by network.spines, which oversubscription
  // leaves open.
  kind.grown = [](const Settings& before, const SwitchPorts& ports, const topology::Growth& growth) {
    const topology::XgftShape shape =
        topology::grown_tree(leaf_spine_shape(before, ports), growth, "leaf-spine", 2);
    Settings settings = before;
    settings.erase("network.oversubscription");
    settings["network.leaves"] = std::int64_t{shape.children.front()};
    settings["network.spines"] = std::int64_t{shape.parents.front()};
    settings[topology::parallel_cables_key().name] = topology::list_text(shape.cables);
    return settings;
  };
  return kind;
}

}  // namespace morgana
