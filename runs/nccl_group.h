#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "emulator/collectives/nccl/nccl_model.h"
#include "emulator/platform/platform.h"
#include "replay/switch_units.h"

namespace morgana {

/// A group of GPUs of a modelled platform, one a rank, that carries out collectives of NCCL. NCCL numbers the
/// members node by node, nodes in the order of their lowest ranks, and within a node GPU by GPU: a member's
/// number can differ from its rank.
class NcclGroup {
 public:
  /// Measures the rates and latencies that NCCL reads from the topology. For that it emulates messages from
  /// member 0 to a member of its node, and to one of the next node.
  /// @param ranks  the number of ranks
  /// @param placement  the ranks' hosts; a host has at most one rank
  /// @param seed  of everything random on the platform
  /// @throws Error if nodes have different numbers of ranks, if a node has more rails than GPUs, or if the
  /// platform has too few processors
  NcclGroup(Platform platform, std::size_t ranks, Placement placement, std::uint64_t seed);

  const nccl::GpuLayout& layout() const { return layout_; }
  const nccl::Parameters& parameters() const { return parameters_; }
  const nccl::LinkRates& rates() const { return rates_; }

  /// The algorithm and protocol that NCCL chooses.
  /// @param bytes  the collective's size as nccl-tests define it, > 0
  /// @param algorithm  fixes the algorithm; empty: NCCL chooses
  /// @param protocol  fixes the protocol; empty: NCCL chooses
  /// @throws Error for an algorithm that the collective or the platform does not have, or that does not have
  /// the protocol
  nccl::Choice choose(MeasuredCollective collective, std::int64_t bytes,
                      std::optional<nccl::Algorithm> algorithm = {},
                      std::optional<nccl::Protocol> protocol = {}) const;
  /// The time by NCCL's own model, which NCCL chooses by (seconds).
  double estimate(MeasuredCollective collective, std::int64_t bytes, const nccl::Choice& choice) const;

  /// The schedule of all members. The root of a rooted collective is rank 0.
  nccl::Plan plan(MeasuredCollective collective, std::int64_t bytes, const nccl::Choice& choice) const;
  /// Emulates the plan on the platform, chunk by chunk, until the last rank has ended. The time of a ring
  /// whose messages can't contend is computed instead (uncontended_ring_time()), with the same result but no
  /// calls of `progress`.
  /// @param progress  called from time to time with the share done, 0 to 1; may be empty
  /// @param links  gets the loads of the network's links, except of a computed time; may be null
  /// @throws Error if a message is lost
  SimTime time_of(const nccl::Plan& plan, const std::function<void(double)>& progress = {},
                  NetworkLinks* links = nullptr) const;

 private:
  void order_members(std::size_t ranks, int rails);

  Platform platform_;
  Placement placement_;  ///< of the ranks, in members' order
  std::uint64_t seed_;
  std::vector<HostId> hosts_;  ///< by member
  nccl::Parameters parameters_;
  nccl::GpuLayout layout_;
  nccl::LinkRates rates_;
  int root_ = 0;  ///< the member that is rank 0
  SwitchUnitPlaces units_;
};

}  // namespace morgana
