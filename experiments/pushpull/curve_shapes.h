#pragma once

#include <functional>
#include <optional>
#include <span>

namespace morgana::push_pull_paper {

/// A value at a size.
struct Sample {
  double size, value;
};

/// Where a curve jumps: of neighbouring samples, those between which it rises most, in all, if that is at
/// least `factor` times the rise that its median slope would give there, and more than `least`.
struct Jump {
  double before, behind;  ///< sizes
  double rise;
};
std::optional<Jump> greatest_jump(std::span<const Sample> curve, double least, double factor = 3);

/// Size of the lowest value; of several, the first.
double lowest(std::span<const Sample> curve);

/// The first size whose value is at most `share` above the lowest.
double nearly_lowest(std::span<const Sample> curve, double share);

}  // namespace morgana::push_pull_paper
