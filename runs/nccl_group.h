#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "emulator/collectives/nccl_model.h"
#include "emulator/platform/platform.h"

namespace morgana {

/// GPUs of a modelled platform that carry out collectives of NCCL: ranks 0, 1, ... node by node.
class NcclGroup {
 public:
  /// Asks the emulated network what it carries, by two messages from rank 0 to a rank of its node and to one
  /// of the next node, as NCCL asks for the topology.
  /// @throws Error if the ranks don't fill their nodes, or the platform has too few processors
  NcclGroup(Platform platform, std::size_t ranks, Placement placement, std::uint64_t seed);

  const nccl::Layout& layout() const { return layout_; }
  const nccl::Parameters& parameters() const { return parameters_; }
  const nccl::LinkRates& rates() const { return rates_; }

  /// NCCL's own choice among what is allowed. @throws Error for an algorithm that the collective does not
  /// have
  nccl::Choice choose(MeasuredCollective collective, std::int64_t bytes,
                      std::optional<nccl::Algorithm> algorithm = {},
                      std::optional<nccl::Protocol> protocol = {}) const;
  /// In seconds.
  double estimate(MeasuredCollective collective, std::int64_t bytes, const nccl::Choice& choice) const;

  /// What all ranks do.
  nccl::Plan plan(MeasuredCollective collective, std::int64_t bytes, const nccl::Choice& choice) const;
  /// Runs it on the emulated machine, chunk by chunk, until the last rank has ended.
  /// @param progress  called now and then with the share done; may be empty
  SimTime time_of(const nccl::Plan& plan, const std::function<void(double)>& progress = {}) const;

 private:
  Platform platform_;
  Placement placement_;
  std::uint64_t seed_;
  nccl::Parameters parameters_;
  nccl::Layout layout_;
  nccl::LinkRates rates_;
};

}  // namespace morgana
