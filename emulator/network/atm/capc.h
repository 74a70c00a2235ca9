#pragma once

#include <cstdint>

#include "emulator/network/atm/rate_algorithm.h"

namespace morgana::atm {

/// CAPC: after each interval the one rate that all connections may send (ERS) is multiplied by more than one
/// if less came than the link should carry, by less than one if more came, in proportion to the difference.
/// While the queue is congested CI is set, too.
///
/// Intervals are equally long, one after the other, whether or not cells come. Counted in cells they would be
/// short under overload and long when little comes, so that the rate falls at once and, when sources send
/// next to nothing, does not rise again. An interval shorter than a source takes to learn the rate, a round
/// trip or the time between two of its resource management cells, lowers the rate several times for one
/// overload. Reason: docs/decisions, "CAPC measures over intervals of time".
///
/// Sources: A. Barnhart: Explicit Rate Performance Evaluation, ATM Forum 94-0983R1, 1994; ATM Forum, Traffic
/// Management Specification 4.0, 1996, appendix I; R. Jain: Congestion Control and Traffic Management in
/// ATM Networks: Recent Advances and a Survey, 1996, section 4.
class Capc final : public RateAlgorithm {
 public:
  Capc(const FeedbackParameters& parameters, double link);
  void offered(std::int64_t now, const CellSource& source) override;
  void backward(std::int64_t now, std::uint32_t connection, ResourceCell& cell, std::int64_t queue) override;

 private:
  void end_intervals(std::int64_t now);
  double change() const;

  double target_, link_;  ///< in cells a second
  double seconds_;        ///< of an interval
  std::int64_t length_;   ///< the same
  std::int64_t congested_;
  std::int64_t ends_;                             ///< of the interval under way
  std::uint32_t guaranteed_ = 0, competing_ = 0;  ///< cells in it
  double share_;                                  ///< ERS
};

}  // namespace morgana::atm
