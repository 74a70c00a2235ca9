#pragma once

#include <cstdint>

#include "emulator/network/atm/rate_algorithm.h"

namespace morgana::atm {

/// CAPC: after each interval the one rate that all connections may send (ERS) is multiplied by more than one
/// if less came than the link should carry, by less than one if more came, in proportion to the difference.
/// While the queue is congested CI is set, too.
///
/// Sources: A. Barnhart: Explicit Rate Performance Evaluation, ATM Forum 94-0983R1, 1994; ATM Forum, Traffic
/// Management Specification 4.0, 1996, appendix I; R. Jain: Congestion Control and Traffic Management in
/// ATM Networks: Recent Advances and a Survey, 1996, section 4.
class Capc final : public RateAlgorithm {
 public:
  Capc(const FeedbackParameters& parameters, double link);
  void offered(std::int64_t now, const CellSource& source) override;
  void backward(std::uint32_t connection, ResourceCell& cell, std::int64_t queue) override;

 private:
  void end_interval(std::int64_t now);

  double utilisation_, link_;
  std::uint32_t interval_;
  std::int64_t congested_;
  std::int64_t began_ = 0;
  std::uint32_t guaranteed_ = 0, competing_ = 0;  ///< cells in the interval
  double share_;                                  ///< ERS
};

}  // namespace morgana::atm
