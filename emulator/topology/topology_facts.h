#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emulator/topology/switch_graph.h"

namespace morgana {

/// What the construction of a topology says about its graph, beyond what can be counted in it.
struct TopologyFacts {
  /// Kinds of trunks: "leaf-spine", "dimension 1".
  std::vector<std::string> tiers = {"between switches"};
  /// The tier of a trunk between two switches. Empty: all are of the first.
  std::function<std::size_t(SwitchId, SwitchId)> tier = {};
  /// Trunks between two halves with equally many hosts, at least, where a closed form is known. It counts
  /// partitions that divide no switch's hosts.
  std::optional<std::uint64_t> bisection = {};
};

}  // namespace morgana
