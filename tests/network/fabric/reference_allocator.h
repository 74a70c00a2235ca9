#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "emulator/network/fabric/parameters.h"
#include "emulator/topology/switch_graph.h"
#include "tests/network/fabric/reference_arbiters.h"
#include "tests/network/fabric/reference_fabric_switch.h"

namespace morgana::testing {

/// A switch's separable allocator, as docs/fabric.md has it: every input proposes one packet, every output
/// grants one proposal, and only a grant moves pointers.
class ReferenceAllocator {
 public:
  using Queues = std::map<std::pair<unsigned, PortNumber>, ReferenceQueue>;

  /// @param queues  at the inputs
  /// @return the queue from which each output that grants takes its packet
  std::map<PortNumber, ReferenceQueue*> allocate(fabric::InputArbitration policy, Queues& queues,
                                                 const ReferenceSwitchState::MayGo& may_go) {
    std::map<PortNumber, std::vector<ReferenceQueue*>> requests;  // by input
    for (auto& [key, queue] : queues)
      if (!queue.empty() && may_go(queue.front())) requests[queue.front().input].push_back(&queue);
    std::map<PortNumber, std::vector<ReferenceQueue*>> proposals;  // by output
    for (const auto& [input, of_input] : requests) {
      ReferenceQueue* const proposed = policy == fabric::InputArbitration::oldest
                                           ? oldest(of_input)
                                           : in_turn(inputs_[input], channels_[input], of_input);
      proposals[proposed->front().output].push_back(proposed);
    }
    std::map<PortNumber, ReferenceQueue*> granted;
    for (const auto& [output, of_output] : proposals) {
      ReferenceQueue* const queue = policy == fabric::InputArbitration::oldest
                                        ? oldest(of_output)
                                        : in_turn(outputs_[output], of_output);
      const ReferenceVisitor& visitor = queue->front();
      outputs_[output].choose({visitor.input});
      inputs_[visitor.input].choose({output});
      channels_[visitor.input].choose({visitor.came_on});
      granted[output] = queue;
    }
    return granted;
  }

 private:
  static ReferenceQueue* oldest(const std::vector<ReferenceQueue*>& queues) {
    return *std::min_element(queues.begin(), queues.end(), [](const auto* a, const auto* b) {
      return a->front().packet < b->front().packet;
    });
  }
  /// Of an input: by output, then by virtual channel.
  static ReferenceQueue* in_turn(const ReferenceRoundRobin& by_output, const ReferenceRoundRobin& by_channel,
                                 const std::vector<ReferenceQueue*>& queues) {
    std::map<unsigned, std::map<unsigned, ReferenceQueue*>> sorted;
    for (ReferenceQueue* queue : queues) sorted[queue->front().output][queue->front().came_on] = queue;
    const auto& of_output = sorted.at(by_output.next(names(sorted)));
    return of_output.at(by_channel.next(names(of_output)));
  }
  /// Of an output: by input.
  static ReferenceQueue* in_turn(const ReferenceRoundRobin& by_input,
                                 const std::vector<ReferenceQueue*>& queues) {
    std::map<unsigned, ReferenceQueue*> sorted;
    for (ReferenceQueue* queue : queues) sorted[queue->front().input] = queue;
    return sorted.at(by_input.next(names(sorted)));
  }
  template <typename Value>
  static std::set<unsigned> names(const std::map<unsigned, Value>& sorted) {
    std::set<unsigned> all;
    for (const auto& [name, value] : sorted) all.insert(name);
    return all;
  }

  std::map<PortNumber, ReferenceRoundRobin> inputs_, channels_, outputs_;  // `a`, `c`, `b`
};

}  // namespace morgana::testing
