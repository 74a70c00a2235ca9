#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/routing/up_down.h"
#include "emulator/topology/distances.h"
#include "emulator/topology/switch_graph.h"

namespace morgana {

/// At which switches a path may go up after it has come down.
enum class Turns : std::uint8_t {
  never,       ///< up*/down*
  in_transit,  ///< at those that have a host, which takes the packet and sends it on
  anywhere     ///< minimal paths, whatever comes of it
};

/// All paths between the switches of a network under one rule. A path at a switch is in one of two states: it
/// has come down last, or not (at its start, or after going up); that decides where it may go on.
class Paths {
 public:
  /// A way on to another switch.
  struct Step {
    PortNumber port;
    bool down;  ///< the state at the next switch
    SwitchId next;
    CableChannel channel;
  };

  /// Keeps references to neither graph nor orientation.
  Paths(const SwitchGraph& graph, const UpDown& orientation, Turns turns);

  std::size_t switches() const { return first_.size() - 1; }
  /// The ways on: all but those up where the path came down and may not turn.
  std::span<const Step> steps(SwitchId at, bool came_down) const {
    const Step* all = steps_.data();
    return {all + (came_down && !may_turn_[at] ? first_down_[at] : first_[at]), all + first_[at + 1]};
  }
  /// Whether going on by this step takes an in-transit host.
  static bool turns(bool came_down, const Step& step) { return came_down && !step.down; }
  /// Fewest cables still to cross, Distances::unreachable if none lead there.
  std::uint16_t remaining(SwitchId at, bool came_down, SwitchId to) const {
    return came_down ? after_down_(to, at) : from_start_(to, at);
  }
  /// The lengths of the shortest paths.
  Distances distances() const;

 private:
  void reach(SwitchId to);

  std::vector<Step> steps_;           // by switch; those up first
  std::vector<std::uint32_t> first_;  // of each switch, and the end
  std::vector<std::uint32_t> first_down_;
  std::vector<bool> may_turn_;
  // From the destination back: a search for a way reads the same distances again and again.
  Distances from_start_, after_down_;
};

}  // namespace morgana
