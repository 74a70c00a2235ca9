#include "emulator/core/statistics.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace morgana {
namespace {

// Each octave is cut into equal classes; the middle of a class is within 1/256 of every value in it.
// Class 0 holds zero and what is too small to matter; the outermost octaves hold what lies beyond them.
constexpr int classes_per_octave = 128;
constexpr int least_exponent = -128;
constexpr int largest_exponent = 128;
constexpr std::size_t class_count = (largest_exponent - least_exponent) * classes_per_octave + 1;

std::size_t class_of(double value) {
  int exponent = 0;
  const double mantissa = std::frexp(value, &exponent);  // in [0.5, 1)
  if (value <= 0 || exponent < least_exponent) return 0;
  if (exponent >= largest_exponent) return class_count - 1;
  const int within = static_cast<int>((mantissa - 0.5) * (2 * classes_per_octave));
  return static_cast<std::size_t>((exponent - least_exponent) * classes_per_octave + within + 1);
}

double middle_of(std::size_t index) {
  if (index == 0) return 0;
  const int exponent = static_cast<int>((index - 1) / classes_per_octave) + least_exponent;
  const double within = static_cast<double>((index - 1) % classes_per_octave) + 0.5;
  return std::ldexp(0.5 + within / (2 * classes_per_octave), exponent);
}

}  // namespace

void RunningStatistics::add(double value) {
  minimum_ = count_ == 0 ? value : std::min(minimum_, value);
  maximum_ = count_ == 0 ? value : std::max(maximum_, value);
  ++count_;
  const double from_old_mean = value - mean_;
  mean_ += from_old_mean / static_cast<double>(count_);
  squares_ += from_old_mean * (value - mean_);
}

double RunningStatistics::variance() const {
  return count_ < 2 ? 0 : squares_ / static_cast<double>(count_ - 1);
}

double RunningStatistics::standard_deviation() const {
  return std::sqrt(variance());
}

void Distribution::add(double value) {
  assert(value >= 0);
  summary_.add(value);
  if (!classes_.empty()) {
    ++classes_[class_of(value)];
    return;
  }
  values_.push_back(value);
  sorted_ = false;
  if (values_.size() <= exact_limit) return;
  classes_.resize(class_count);
  for (const double earlier : values_) ++classes_[class_of(earlier)];
  values_ = {};
}

double Distribution::quantile(double q) const {
  assert(q >= 0 && q <= 1);
  const std::uint64_t count = summary_.count();
  if (count == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(q * static_cast<double>(count)));
  const std::uint64_t rank = std::clamp<std::uint64_t>(wanted, 1, count);
  if (classes_.empty()) {
    if (!sorted_) std::sort(values_.begin(), values_.end());
    sorted_ = true;
    return values_[rank - 1];
  }
  if (rank == 1) return summary_.minimum();
  if (rank == count) return summary_.maximum();
  std::uint64_t passed = 0;
  std::size_t index = 0;
  while ((passed += classes_[index]) < rank) ++index;
  return std::clamp(middle_of(index), summary_.minimum(), summary_.maximum());
}

}  // namespace morgana
