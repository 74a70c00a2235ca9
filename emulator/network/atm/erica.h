#pragma once

#include <cstdint>
#include <vector>

#include "emulator/network/atm/rate_algorithm.h"

namespace morgana::atm {

/// ERICA: measured over intervals of so many cells, what competes for the link is compared with what it
/// should carry (utilisation, less what CBR and VBR took). Each connection may send its share of the
/// overload, or the fair share if that is more; while the link has bandwidth left, all as much as any of
/// them.
///
/// ABR and UBR share a queue here, so UBR's cells count as those of sources that don't obey. An interval in
/// which nothing competed leaves the load factor at 0: then all may send what the link should carry. Before
/// the first one has ended the fair share is all of that.
///
/// Source: R. Jain, S. Kalyanaraman, R. Goyal, S. Fahmy, R. Viswanathan: The ERICA Switch Algorithm: A
/// Complete Description, ATM Forum 96-1172, 1996 (basic algorithm, with max-min fairness; delta 0.1).
class Erica final : public RateAlgorithm {
 public:
  Erica(const FeedbackParameters& parameters, double link);
  void offered(std::int64_t now, const CellSource& source) override;
  void forward(std::uint32_t connection, const ResourceCell& cell, std::int64_t queue) override;
  void backward(std::int64_t now, std::uint32_t connection, ResourceCell& cell, std::int64_t queue) override;

 private:
  void count_active(const CellSource& source);
  void end_interval(std::int64_t now);

  double utilisation_, link_;
  std::uint32_t interval_;
  std::int64_t began_ = 0;
  std::uint64_t number_ = 1;                            ///< of the interval
  std::uint32_t guaranteed_ = 0, competing_ = 0;        ///< cells in it
  std::uint32_t active_ = 0;                            ///< sources in it
  std::vector<std::uint64_t> connection_, background_;  ///< the last interval in which each was active
  std::vector<double> current_;                         ///< CCR by connection
  double target_, fair_share_;
  double load_factor_ = 1;
  double allocated_before_, allocated_ = 0;  ///< the most that was allocated: last interval and this one
};

}  // namespace morgana::atm
