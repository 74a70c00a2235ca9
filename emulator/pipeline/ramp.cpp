#include "emulator/pipeline/ramp.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace morgana::pipeline {
namespace {

/// A size that follows from another one, the unknown: factor times that one and a constant.
struct LinearSize {
  double factor = 1;
  RealBytes constant;

  RealBytes at(RealBytes unknown) const { return unknown * factor + constant; }
};

/// The size beside one of `from`, which keeps a stage busy for as long as that one keeps `with`.
LinearSize matching(const Stage& stage, const Stage& with, const LinearSize& from) {
  const double ratio = with.cost.value() / stage.cost.value();
  return {from.factor * ratio, from.constant * ratio + (with.overhead - stage.overhead) / stage.cost};
}

/// Whose sum is `message`.
std::optional<Sizes> solve(const std::vector<LinearSize>& sizes, RealBytes message) {
  LinearSize sum{0, {}};
  for (const LinearSize& one : sizes) {
    sum.factor += one.factor;
    sum.constant += one.constant;
  }
  const RealBytes unknown = (message - sum.constant) / sum.factor;
  Sizes solution;
  RealBytes total;
  for (const LinearSize& one : sizes) {
    solution.push_back(one.at(unknown));
    total += solution.back();
    if (!(solution.back() >= RealBytes(1))) return std::nullopt;
  }
  // Where factors grow to where digits are lost, there is a byte too little for somebody anyway, or there are
  // far fewer fragments that do as well.
  constexpr double tolerance = 1e-9;
  if (!(std::abs((total - message) / message) < tolerance)) return std::nullopt;
  return solution;
}

}  // namespace

std::optional<Sizes> ramp_up(const Stage& first, const Stage& second, RealBytes message, std::size_t count) {
  if (count == 1) return Sizes{message};
  if (first.cost <= RealCost(0) && second.cost <= RealCost(0)) return std::nullopt;
  // From the end with the greater sizes on, so that errors shrink with every step.
  const bool forward = first.cost >= second.cost;
  std::vector<LinearSize> sizes{LinearSize{}};
  for (std::size_t i = 1; i < count; ++i)
    sizes.push_back(forward ? matching(first, second, sizes.back()) : matching(second, first, sizes.back()));
  if (!forward) std::reverse(sizes.begin(), sizes.end());
  return solve(sizes, message);
}

std::optional<Sizes> ramp_up_and_down(std::span<const Stage, 3> stages, RealBytes message, std::size_t up,
                                      std::size_t down) {
  if (up + down == 2) return Sizes{message};
  const Stage& middle = stages[1];
  if (middle.cost <= RealCost(0)) return std::nullopt;
  std::vector<LinearSize> sizes{LinearSize{}};  // x_c, and what leads up to it, from there back
  for (std::size_t i = 1; i < up; ++i) sizes.push_back(matching(middle, stages[0], sizes.back()));
  std::reverse(sizes.begin(), sizes.end());
  for (std::size_t i = 1; i < down; ++i) sizes.push_back(matching(middle, stages[2], sizes.back()));
  return solve(sizes, message);
}

}  // namespace morgana::pipeline
