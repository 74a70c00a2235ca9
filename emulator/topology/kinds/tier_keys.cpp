#include "emulator/topology/kinds/tier_keys.h"

namespace morgana::topology {

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
