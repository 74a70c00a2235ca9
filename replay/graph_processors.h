#pragma once

#include <tsl/robin_map.h>

#include <cstdint>
#include <optional>
#include <vector>

#include "emulator/host/kernel.h"
#include "emulator/messaging/machine.h"
#include "replay/graph_cpus.h"
#include "replay/graph_messages.h"
#include "replay/graph_progress.h"

namespace morgana {

/// Where hosts' kernels take processors: which processor each rank of a graph's run has for its CPU 0, and
/// what the kernel does to it.
class GraphProcessors final : private ProcessorUsers {
 public:
  /// The references must outlive this. @throws Error for ranks that would have to take turns
  GraphProcessors(Machine& machine, const DependencyGraph& graph, const GraphMessages& messages,
                  const GraphProgress& progress, GraphCpus& cpus);

  /// Of the graph's rank.
  std::size_t of(Rank rank) const { return processor_of_[index(rank)]; }
  /// Where kernels poll: the rank has ended, and one that is left on its host looks at the interface.
  void rank_ended(Rank rank) const;
  /// A CPU that is idle, or is about to send or to receive, looks at the NIC first; what the kernel
  /// does then goes first. @param computes  what is next on the CPU
  /// @return whether it may go on; else it is busy until Cpu::until
  bool may_go_on(GraphCpus::Cpu& cpu, std::uint32_t number, bool computes) const;

 private:
  bool uses(HostId host, std::size_t processor) const override;
  void interrupted(HostId host, std::size_t processor, SimTime cost, SimTime until) override;
  std::optional<std::size_t> poller(HostId host) const override;

  Machine& machine_;
  const GraphMessages& messages_;
  const GraphProgress& progress_;
  GraphCpus& cpus_;
  std::vector<std::size_t> processor_of_;                                ///< by rank
  tsl::robin_map<std::uint32_t, std::vector<std::vector<Rank>>> users_;  ///< by host and processor
};

}  // namespace morgana
