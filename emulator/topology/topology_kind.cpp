#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace {

struct Size {
  std::uint32_t switches = 1;
};

const Table<Size>& size_table() {
  static const auto table = Table<Size>("network").key(
      "switches", &Size::switches,
      "of a chain, a ring, a star, an irregular or a listed network, numbered from 0",
      {.at_least = "1", .at_most = "16384", .unit = "switches"});
  return table;
}

}  // namespace

std::uint32_t switches_of(const Settings& settings) {
  return size_table().read(settings).switches;
}

Key switches_key() {
  return size_table().keys().front();
}

const std::vector<TopologyKind>& topology_kinds() {
  static const std::vector<TopologyKind> kinds{
      chain_kind(),    ring_kind(),       star_kind(),          tree_kind(),     torus_kind(),
      fat_tree_kind(), irregular_kind(),  express_torus_kind(), mesh_kind(),     cplant_kind(),
      now_kind(),      leaf_spine_kind(), xgft_kind(),          pod_tree_kind(), hyperx_kind(),
      slim_fly_kind(), dragonfly_kind(),  dragonfly_plus_kind()};
  return kinds;
}

const TopologyKind* topology_kind(const std::string& name) {
  for (const TopologyKind& kind : topology_kinds())
    if (kind.name == name) return &kind;
  return nullptr;
}

}  // namespace morgana
