#include "experiments/pushpull/curve_shapes.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace morgana::push_pull_paper {

std::optional<Jump> greatest_jump(std::span<const Sample> curve, double least, double factor) {
  if (curve.size() < 3) return std::nullopt;
  std::vector<double> slopes;
  for (std::size_t i = 1; i < curve.size(); ++i)
    slopes.push_back((curve[i].value - curve[i - 1].value) / (curve[i].size - curve[i - 1].size));
  std::vector<double> sorted = slopes;
  std::sort(sorted.begin(), sorted.end());
  const double median = std::max(0.0, sorted[sorted.size() / 2]);
  std::optional<Jump> greatest;
  for (std::size_t i = 1; i < curve.size(); ++i) {
    const double distance = curve[i].size - curve[i - 1].size,
                 rise = slopes[i - 1] * distance - median * distance;
    if (!greatest || rise > greatest->rise) greatest = Jump{curve[i - 1].size, curve[i].size, rise};
  }
  const double usual = median * (greatest->behind - greatest->before);
  if (greatest->rise <= least || greatest->rise < (factor - 1) * usual) return std::nullopt;
  return greatest;
}

double lowest(std::span<const Sample> curve) {
  return nearly_lowest(curve, 0);
}

double nearly_lowest(std::span<const Sample> curve, double share) {
  const double least = std::min_element(curve.begin(), curve.end(), [](const Sample& a, const Sample& b) {
                         return a.value < b.value;
                       })->value;
  return std::find_if(curve.begin(), curve.end(),
                      [&](const Sample& one) { return one.value <= (1 + share) * least; })
      ->size;
}

}  // namespace morgana::push_pull_paper
