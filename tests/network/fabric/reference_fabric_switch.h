#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/topology/switch_graph.h"
#include "tests/network/fabric/reference_arbiters.h"

namespace morgana::testing {

/// A packet in a switch.
struct ReferenceVisitor {
  std::size_t packet = 0;
  Bytes size;  ///< on the link
  PortNumber input = 0;
  CableChannel came_by = 0;
  unsigned came_on = 0;  ///< virtual channel of the channel by which it came
  PortNumber output = 0;
  unsigned group = 0;       ///< in which it goes on
  SimTime ready;            ///< `r`; behind a crossbar `y`
  SimTime all_there;        ///< `tau`; behind a crossbar `z`: what sends it on ends then at the earliest
  bool is_charged = false;  ///< to an account of the shared buffer
};
using ReferenceQueue = std::deque<ReferenceVisitor>;

/// Queues whose first packets may go to an output now, by group and by the queue's number.
using ReferenceCandidates = std::map<unsigned, std::map<unsigned, ReferenceQueue*>>;

inline std::set<unsigned> reference_groups(const ReferenceCandidates& candidates) {
  std::set<unsigned> groups;
  for (const auto& [group, queues] : candidates) groups.insert(group);
  return groups;
}

/// What the packets that count at an (output, group) take.
struct ReferenceHolding {
  std::int64_t packets = 0;
  Bytes bytes;
};

/// The state of a switch: who waits where, what is busy, and the pointers of its arbiters.
struct ReferenceSwitchState {
  using OutputGroup = std::pair<PortNumber, unsigned>;
  using MayGo = std::function<bool(const ReferenceVisitor&)>;
  /// Whose turn it is in one stage.
  struct Stage {
    unsigned first_output = 0;                         // `p`
    std::map<PortNumber, ReferenceRoundRobin> groups;  // of transfers only
    std::map<OutputGroup, ReferenceRoundRobin> inputs;

    /// The input arbiter: takes the chosen packet out of its queue.
    ReferenceVisitor take(fabric::InputArbitration policy, OutputGroup to,
                          const ReferenceCandidates& candidates) {
      const unsigned chosen = choose(policy, to, candidates);
      inputs[to].choose({chosen});
      ReferenceQueue& queue = *candidates.at(to.second).at(chosen);
      const ReferenceVisitor visitor = queue.front();
      queue.pop_front();
      return visitor;
    }
    /// The sizes of the packets that it would take for an output.
    ReferenceFirstPackets first(fabric::InputArbitration policy, PortNumber output,
                                const ReferenceCandidates& candidates) {
      ReferenceFirstPackets sizes;
      for (const auto& [group, queues] : candidates)
        sizes[group] = queues.at(choose(policy, {output, group}, candidates))->front().size;
      return sizes;
    }

   private:
    /// The number of a queue.
    unsigned choose(fabric::InputArbitration policy, OutputGroup to, const ReferenceCandidates& candidates) {
      const std::map<unsigned, ReferenceQueue*>& queues = candidates.at(to.second);
      std::set<unsigned> numbers;
      for (const auto& [number, queue] : queues) numbers.insert(number);
      if (policy == fabric::InputArbitration::round_robin) return inputs[to].next(numbers);
      unsigned oldest = *numbers.begin();
      for (const auto& [number, queue] : queues)
        if (queue->front().packet < queues.at(oldest)->front().packet) oldest = number;
      return oldest;
    }
  };

  std::map<std::pair<unsigned, PortNumber>, ReferenceQueue>
      at_inputs;  ///< input * V + virtual channel; output
  std::map<OutputGroup, ReferenceQueue> at_outputs;
  std::map<OutputGroup, ReferenceHolding> held;
  std::map<PortNumber, bool> input_busy, output_side_busy;
  Stage transfers, starts;

  /// Counts packets like this one at its (output, group), or those that count no more.
  void hold(const ReferenceVisitor& visitor, std::int64_t packets) {
    ReferenceHolding& holding = held[{visitor.output, visitor.group}];
    holding.packets += packets;
    holding.bytes += packets * visitor.size;
  }
  ReferenceCandidates at_inputs_for(PortNumber output, const MayGo& may_go) {
    ReferenceCandidates found;
    for (auto& [key, queue] : at_inputs) {
      if (queue.empty() || queue.front().output != output) continue;
      if (!input_busy[queue.front().input] && may_go(queue.front()))
        found[queue.front().group][key.first] = &queue;
    }
    return found;
  }
  ReferenceCandidates at_outputs_for(PortNumber output, const MayGo& may_go) {
    ReferenceCandidates found;
    for (auto& [key, queue] : at_outputs)
      if (key.first == output && !queue.empty() && may_go(queue.front())) found[key.second][0] = &queue;
    return found;
  }
};

}  // namespace morgana::testing
