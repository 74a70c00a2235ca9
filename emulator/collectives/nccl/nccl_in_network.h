#pragma once

#include <cstdint>
#include <vector>

namespace morgana::nccl {

/// Whether switches add up what GPUs send.
enum class Reducers : std::uint8_t {
  none,
  here,
  may_fail  ///< switches or cables between nodes fail in this run
};

/// Units of switches that add up what their children send and multicast what comes from above. Each is a rank
/// of its own behind those of the GPUs: unit u is rank Layout::ranks + u.
struct SwitchUnits {
  int count = 0;
  std::vector<int> of_node;  ///< of NVLS, by node: the unit between its GPUs; empty: there are none
  /// Of CollNet, a tree for each rail: by rail and node, the unit that the node sends to. Empty: none.
  std::vector<std::vector<int>> above_node;
  std::vector<int> above;  ///< by unit: the next one of its tree; -1: a root, or a node's

  bool is_of_node(int unit) const { return unit >= 0 && unit < static_cast<int>(of_node.size()); }
};

}  // namespace morgana::nccl
