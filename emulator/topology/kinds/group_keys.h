#pragma once

#include <cstdint>

#include "emulator/schema/schema.h"

namespace morgana::topology {

/// Keys of topologies of groups that global cables join.
struct GroupSettings {
  std::uint32_t groups = 0;  ///< 0: as many as global cables lead to
  std::uint32_t global_cables = 2;
};
const Table<GroupSettings>& group_table();

/// @param most  that a group's cables lead to, with itself
inline unsigned groups_of(const GroupSettings& settings, std::uint64_t most) {
  return settings.groups > 0 ? settings.groups : static_cast<unsigned>(most);
}

}  // namespace morgana::topology
