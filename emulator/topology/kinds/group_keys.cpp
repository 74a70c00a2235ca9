#include "emulator/topology/kinds/group_keys.h"

namespace morgana::topology {

const Table<GroupSettings>& group_table() {
  static const auto table =
      Table<GroupSettings>("network")
          .key("groups", &GroupSettings::groups,
               "of a dragonfly or dragonfly-plus; most: as many as its global cables lead to",
               {.at_least = "1", .at_most = "16384", .unit = "groups", .zero_word = "most"})
          .key("global-cables", &GroupSettings::global_cables,
               "of each switch of a dragonfly, or each spine of a dragonfly-plus, to other groups: as many "
               "between any two groups as go up evenly",
               {.at_least = "1", .at_most = "1024", .unit = "cables"});
  return table;
}

}  // namespace morgana::topology
