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

/// GPUs of a modelled platform that carry out collectives of NCCL. Members of the group are its ranks node by
/// node, nodes in the order of their first ranks, and in a node GPU by GPU, as NCCL orders them.
class NcclGroup {
 public:
  /// Asks the emulated network what it carries, by two messages from rank 0 to a rank of its node and to one
  /// of the next node, as NCCL asks for the topology.
  /// @throws Error if nodes have different numbers of ranks, or the platform has too few processors
  NcclGroup(Platform platform, std::size_t ranks, Placement placement, std::uint64_t seed);

  const nccl::Layout& layout() const { return layout_; }
  const nccl::Parameters& parameters() const { return parameters_; }
  const nccl::LinkRates& rates() const { return rates_; }

  /// NCCL's own choice among what is allowed. @throws Error for an algorithm that the collective, or the
  /// platform, does not have
  nccl::Choice choose(MeasuredCollective collective, std::int64_t bytes,
                      std::optional<nccl::Algorithm> algorithm = {},
                      std::optional<nccl::Protocol> protocol = {}) const;
  /// In seconds.
  double estimate(MeasuredCollective collective, std::int64_t bytes, const nccl::Choice& choice) const;

  /// What all members do. The root is rank 0.
  nccl::Plan plan(MeasuredCollective collective, std::int64_t bytes, const nccl::Choice& choice) const;
  /// Runs it on the emulated machine, chunk by chunk, until the last rank has ended; of a ring that nothing
  /// can contend with the same time is computed (uncontended_ring_time()), without progress.
  /// @param progress  called now and then with the share done; may be empty
  SimTime time_of(const nccl::Plan& plan, const std::function<void(double)>& progress = {},
                  NetworkLinks* links = nullptr) const;

 private:
  void order_members(std::size_t ranks, int rails);

  Platform platform_;
  Placement placement_;  ///< of members
  std::uint64_t seed_;
  std::vector<HostId> hosts_;  ///< by member
  nccl::Parameters parameters_;
  nccl::Layout layout_;
  nccl::LinkRates rates_;
  int root_ = 0;  ///< rank 0 as a member
  SwitchUnitPlaces units_;
};

}  // namespace morgana
