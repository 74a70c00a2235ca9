#pragma once

#include <string>
#include <utility>
#include <vector>

#include "emulator/platform/aliases.h"
#include "emulator/platform/kinds/networks.h"

namespace morgana {

/// A notion (bandwidth, latency) whose value another kind of network keeps, in keys of its own.
struct KeptNotion {
  std::string name;                     ///< "network.bandwidth"
  std::vector<std::string> former;      ///< the keys that counted in it on the former kind
  std::vector<Assignment> assignments;  ///< what keeps it on the new one; empty: keys of the same names do
  std::vector<std::pair<std::string, std::string>> texts;  ///< the same, values as texts
};

/// What was set for one kind of network and still has a meaning on another one.
struct KeptSettings {
  /// Keys that both kinds have, in the same form, with values within the new one's limits.
  std::vector<Assignment> same;
  std::vector<KeptNotion> notions;
};

/// @param former  what was set, keys of other sections included
/// Nothing is kept that the new kind would refuse: then keys of the same names are left out, but for those of
/// bandwidth and latency.
KeptSettings kept_settings(const std::string& former_kind, const NetworkKind& kind, const Settings& former);

}  // namespace morgana
