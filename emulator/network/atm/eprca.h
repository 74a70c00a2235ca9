#pragma once

#include <cstdint>
#include <vector>

#include "emulator/network/atm/rate_algorithm.h"

namespace morgana::atm {

/// EPRCA: the output keeps a mean of the rates in forward RM cells (MACR), which follows those below it
/// while the queue is congested and those above it otherwise. Connections above most of the mean are lowered
/// to a little less than it while the queue is congested, all of them far below it while it is very
/// congested. Until then a source goes up by its own increase factor, so that rates swing around the fair
/// share.
///
/// Sources: L. Roberts: Enhanced PRCA, ATM Forum 94-0735R1, 1994; ATM Forum, Traffic Management Specification
/// 4.0, 1996, appendix I; R. Jain: Congestion Control and Traffic Management in ATM Networks: Recent
/// Advances and a Survey, 1996, section 4.
class Eprca final : public RateAlgorithm {
 public:
  Eprca(const FeedbackParameters& parameters, double link);
  void forward(std::uint32_t connection, const ResourceCell& cell, std::int64_t queue) override;
  void backward(std::int64_t now, std::uint32_t connection, ResourceCell& cell, std::int64_t queue) override;

 private:
  std::int64_t congested_, very_congested_;
  double mean_;  ///< MACR
};

}  // namespace morgana::atm
