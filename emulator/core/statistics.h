#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace morgana {

/// Count, mean, variance and extremes of a series, in one pass (Welford, 1962).
class RunningStatistics {
 public:
  void add(double value);
  std::uint64_t count() const { return count_; }
  double mean() const { return mean_; }
  /// Of the sample (n - 1); 0 for fewer than two values.
  double variance() const;
  double standard_deviation() const;
  double minimum() const { return minimum_; }
  double maximum() const { return maximum_; }
  double sum() const { return mean_ * static_cast<double>(count_); }

 private:
  std::uint64_t count_ = 0;
  double mean_ = 0, squares_ = 0, minimum_ = 0, maximum_ = 0;
};

/// A series of which quantiles are wanted, for values >= 0. Exact up to `exact_limit` values; beyond that a
/// histogram of logarithmic classes gives quantiles within 0.4 %, in bounded memory.
class Distribution {
 public:
  static constexpr std::size_t exact_limit = 65536;

  void add(double value);
  const RunningStatistics& summary() const { return summary_; }
  /// Nearest-rank quantile, 0 for an empty series; @param q in [0, 1].
  double quantile(double q) const;
  double median() const { return quantile(0.5); }

 private:
  RunningStatistics summary_;
  mutable std::vector<double> values_;  // sorted when a quantile is asked for
  mutable bool sorted_ = true;
  std::vector<std::uint64_t> classes_;
};

}  // namespace morgana
