#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "emulator/core/units.h"
#include "emulator/network/fabric/packet.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/topology/switch_graph.h"
#include "tests/network/fabric/fabric_outcome.h"
#include "tests/network/fabric/reference_fabric_switch.h"

namespace morgana::testing {

/// Which packets are marked, and which queues credits hold back.
class ReferenceMarks {
 public:
  using Queue = std::pair<SwitchPort, unsigned>;  ///< of an output and a group

  ReferenceMarks(const SwitchGraph& graph, const fabric::MarkParameters& marks,
                 const std::vector<ReferenceSwitchState>& switches)
      : graph_(graph), marks_(marks), switches_(switches) {}

  /// A packet of the queue could start on a channel that is not busy if it had credits.
  void hold_back(const Queue& queue) { held_back_.insert(queue); }
  void started(const Queue& queue) { held_back_.erase(queue); }

  /// @param when  the packet is looked at, which waits in none of the switch's queues then
  void look(fabric::MarkWhen when, SwitchId at, const ReferenceVisitor& visitor) {
    if (marks_.to == Bytes(0) || marks_.when != when) return;
    const SwitchPort output{at, visitor.output};
    if (!fabric::is_marked(marks_, others_like(at, visitor), visitor.packet, graph_.channel_from(output)))
      return;
    if (held_back_.contains({output, visitor.group})) {
      const bool is_to_host = graph_.neighbour(output).is_host();
      if (marks_.victims == fabric::MarkVictims::none ||
          (marks_.victims == fabric::MarkVictims::to_hosts && !is_to_host)) {
        ++counts_.spared;
        return;
      }
      ++counts_.victims;
    } else {
      ++counts_.roots;
    }
    marked_.insert(visitor.packet);
  }
  bool is_marked(std::size_t packet) const { return marked_.contains(packet); }
  const FabricMarkCounts& counts() const { return counts_; }

 private:
  /// `q`
  Bytes others_like(SwitchId at, const ReferenceVisitor& visitor) const {
    Bytes sum;
    const auto count = [&](const auto& queues) {
      for (const auto& [key, queue] : queues)
        for (const ReferenceVisitor& other : queue)
          if (other.output == visitor.output && other.group == visitor.group) sum += other.size;
    };
    count(switches_[at].at_inputs);
    count(switches_[at].at_outputs);
    return sum;
  }

  const SwitchGraph& graph_;
  fabric::MarkParameters marks_;
  const std::vector<ReferenceSwitchState>& switches_;
  std::set<Queue> held_back_;
  std::set<std::size_t> marked_;  // packets
  FabricMarkCounts counts_;
};

}  // namespace morgana::testing
