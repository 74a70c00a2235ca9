#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/topology/switch_graph.h"

namespace morgana {

/// The switches next to each switch, once each, with the number of trunks between them. A cable from a switch
/// to itself is none.
class JoinedSwitches {
 public:
  struct Next {
    SwitchId at = 0;
    std::uint32_t trunks = 0;
  };
  explicit JoinedSwitches(const SwitchGraph& graph);
  std::span<const Next> next(SwitchId at) const {
    return {next_.data() + first_[at], next_.data() + first_[at + 1]};
  }
  std::size_t switches() const { return first_.size() - 1; }
  std::size_t pairs() const { return next_.size(); }  ///< of joined switches, ordered

 private:
  std::vector<std::size_t> first_;  // by switch, and the end
  std::vector<Next> next_;
};

}  // namespace morgana
