#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/topology/switch_graph.h"

namespace morgana {

/// The number of cables that a way between two switches crosses, for all pairs.
class Distances {
 public:
  static constexpr std::uint16_t unreachable = 0xFFFF;

  explicit Distances(std::size_t switches) : switches_(switches), hops_(switches * switches, unreachable) {}
  std::size_t switches() const { return switches_; }
  std::uint16_t operator()(SwitchId from, SwitchId to) const { return hops_[from * switches_ + to]; }
  std::uint16_t& operator()(SwitchId from, SwitchId to) { return hops_[from * switches_ + to]; }
  std::span<std::uint16_t> row(SwitchId from) {
    return std::span(hops_).subspan(from * switches_, switches_);
  }

  /// Over all ordered pairs of different switches that reach each other; 0 if there are none.
  double mean() const;
  std::uint16_t largest() const;  ///< the same pairs: the diameter
  /// Share of these pairs for which both distances are the same.
  double share_equal(const Distances& other) const;

 private:
  std::size_t switches_;
  std::vector<std::uint16_t> hops_;
};

/// Over the fewest cables, whatever their direction, from one switch to each.
/// @param to  by switch: Distances::unreachable before, and afterwards where no way leads
void minimal_distances_from(const SwitchGraph& graph, SwitchId from, std::span<std::uint16_t> to);
/// Over the fewest cables, whatever their direction, between each two switches.
Distances minimal_distances(const SwitchGraph& graph);

}  // namespace morgana
