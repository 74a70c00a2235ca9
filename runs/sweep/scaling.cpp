#include "runs/sweep/scaling.h"

#include <algorithm>
#include <cmath>

namespace morgana {
namespace {

/// The values of an axis as plain numbers above 0; empty if one is none.
std::vector<double> numbers_of(const Axis& axis) {
  std::vector<double> numbers;
  for (const std::string& value : axis.values) {
    double number = 0;
    std::string unit;
    if (!leading_number(value, number, unit) || !unit.empty() || number <= 0) return {};
    numbers.push_back(number);
  }
  return numbers;
}

/// The value to which the others are compared.
std::size_t base_of(const Axis& axis) {
  const std::vector<double> numbers = numbers_of(axis);
  return static_cast<std::size_t>(std::ranges::min_element(numbers) - numbers.begin());
}

double relative_radius(const ConfidenceInterval& interval) {
  return std::isfinite(interval.radius) && interval.mean > 0 ? interval.radius / interval.mean : 0;
}

}  // namespace

std::vector<double> ideal_gains(const Sweep& sweep, std::size_t axis) {
  if (!sweep.is_of_program(axis)) return {};
  std::vector<double> gains = numbers_of(sweep.request().axes[axis]);
  if (gains.empty()) return {};
  const double base = *std::ranges::min_element(gains);
  for (double& gain : gains) gain /= base;
  return gains;
}

std::vector<SpeedUp> speed_ups(const Sweep& sweep, const std::vector<PointSummary>& points,
                               std::size_t axis) {
  const std::vector<Axis>& axes = sweep.request().axes;
  const std::size_t count = axes[axis].values.size(), base = base_of(axes[axis]);
  const std::vector<double> ideal = ideal_gains(sweep, axis);
  const bool weak = sweep.scaling(axis) == Scaling::weak;
  // The last axis changes first.
  std::size_t apart = 1;
  for (std::size_t i = axis + 1; i < axes.size(); ++i) apart *= axes[i].values.size();
  std::vector<SpeedUp> result;
  for (std::size_t point = 0; point < points.size(); ++point) {
    const std::size_t at = point / apart % count;
    const std::size_t base_point = point - at * apart + base * apart;
    const ConfidenceInterval time = points[point].interval("total_ps"),
                             base_time = points[base_point].interval("total_ps");
    const double ratio = ideal.empty() ? 1 : ideal[at];
    SpeedUp gain;
    if (time.mean > 0) gain.factor = base_time.mean / time.mean * (weak ? ratio : 1);
    gain.efficiency = gain.factor / ratio;
    if (point != base_point) gain.uncertainty = std::hypot(relative_radius(time), relative_radius(base_time));
    result.push_back(gain);
  }
  return result;
}

std::string no_speed_up(const Sweep& sweep) {
  const SweepRequest& request = sweep.request();
  const auto axis = std::ranges::find(request.axes, "ranks", &Axis::key);
  const bool computes =
      !request.trace.empty() || request.compute != ComputeMode::none || !request.recorded_compute.empty();
  if (computes || axis == request.axes.end() || axis->values[base_of(*axis)] != "1") return "";
  return "no speedup: with --compute none a run of 1 rank, with which the others would be compared, neither "
         "computes nor communicates; leave out --compute, or the 1 of --over ranks (then speedup is that of "
         "communication alone)";
}

std::optional<std::size_t> axis_of_ranks(const Sweep& sweep) {
  const std::vector<Axis>& axes = sweep.request().axes;
  const auto axis = std::ranges::find(axes, "ranks", &Axis::key);
  if (axis == axes.end() || axis->values.size() < 2 || !no_speed_up(sweep).empty()) return std::nullopt;
  return static_cast<std::size_t>(axis - axes.begin());
}

std::vector<SpeedUp> speed_ups(const Sweep& sweep, const std::vector<PointSummary>& points) {
  const std::optional<std::size_t> axis = axis_of_ranks(sweep);
  return axis ? speed_ups(sweep, points, *axis) : std::vector<SpeedUp>();
}

std::string scaling_name(Scaling scaling) {
  return scaling == Scaling::weak ? "weak" : "strong";
}

}  // namespace morgana
