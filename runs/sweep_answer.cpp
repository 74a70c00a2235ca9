#include "runs/sweep_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "emulator/report/readable.h"
#include "runs/scaling.h"

namespace morgana {
namespace {

constexpr double ps_of_second = 1e12, enough = 0.5;

bool has_time(const PointSummary& point) {
  return point.figures.contains("total_ps");
}

/// "network.bandwidth 400 Gb/s, ranks 8"; a value alone where one axis says what it is of.
std::string values_text(const Sweep& sweep, const PointSummary& point, bool with_keys) {
  std::string text;
  for (std::size_t i = 0; i < point.values.size(); ++i) {
    if (i > 0) text += ", ";
    if (with_keys) text += sweep.request().axes[i].key + " ";
    text += point.values[i];
  }
  return text;
}

/// The points with the first value of every axis but one.
std::vector<std::size_t> along(const Sweep& sweep, std::size_t axis,
                               const std::vector<PointSummary>& points) {
  std::vector<std::size_t> found;
  for (std::size_t point = 0; point < points.size(); ++point) {
    bool first = true;
    for (std::size_t i = 0; i < points[point].values.size(); ++i)
      first = first && (i == axis || points[point].values[i] == sweep.request().axes[i].values.front());
    if (first) found.push_back(point);
  }
  return found;
}

std::string others_text(const Sweep& sweep, std::size_t axis, const PointSummary& point) {
  std::string text;
  for (std::size_t i = 0; i < point.values.size(); ++i)
    if (i != axis)
      text +=
          fmt::format("{}{} {}", text.empty() ? "With " : ", ", sweep.request().axes[i].key, point.values[i]);
  return text.empty() ? text : text + ": ";
}

std::string scaling_answer(const Sweep& sweep, const std::vector<PointSummary>& points, std::size_t axis) {
  const std::vector<double> ideal = ideal_gains(sweep, axis);
  const std::vector<SpeedUp> gains = speed_ups(sweep, points, axis);
  std::vector<std::size_t> shown = along(sweep, axis, points);
  std::erase_if(shown,
                [&](std::size_t point) { return !has_time(points[point]) || !(gains[point].factor > 0); });
  if (ideal.empty() || shown.size() < 2) return "";
  const auto ideal_at = [&](std::size_t point) {
    const auto& values = sweep.request().axes[axis].values;
    return ideal[static_cast<std::size_t>(std::ranges::find(values, points[point].values[axis]) -
                                          values.begin())];
  };
  std::ranges::sort(shown, {}, ideal_at);
  const std::size_t least = shown.front(), most = shown.back();
  if (ideal_at(least) != 1) return "";  // the base has no time
  const std::string& few = points[least].values[axis];
  const std::string& many = points[most].values[axis];
  const std::string ideal_text = readable_number(ideal_at(most), 3);
  std::string text = others_text(sweep, axis, points[least]);
  if (sweep.scaling(axis) == Scaling::weak)
    text += fmt::format("{} ranks do {} times the work of {} ranks per time, of an ideal {}", many,
                        readable_ratio(gains[most].factor), few, ideal_text);
  else if (gains[most].factor >= 1)
    text += fmt::format("{} ranks are {} times as fast as {}, of an ideal {}", many,
                        readable_ratio(gains[most].factor), few, ideal_text);
  else
    text += fmt::format("{} ranks take {} times as long as {}", many, readable_ratio(1 / gains[most].factor),
                        few);
  text += fmt::format(": efficiency {} ({} scaling).", readable_share(gains[most].efficiency),
                      scaling_name(sweep.scaling(axis)));
  const std::size_t best =
      *std::ranges::max_element(shown, {}, [&](std::size_t i) { return gains[i].factor; });
  if (best == least)
    text += fmt::format(" No number of ranks gains on {}.", few);
  else if (best != most)
    text += fmt::format(" Most is reached with {} ranks: {} times.", points[best].values[axis],
                        readable_ratio(gains[best].factor));
  std::optional<std::size_t> last;  // of the first ones that use their ranks well enough
  for (const std::size_t point : shown) {
    if (gains[point].efficiency < enough) break;
    last = point;
  }
  if (last && *last != most && *last != least)
    text += fmt::format(" Up to {} ranks the efficiency is above 50 %.", points[*last].values[axis]);
  return text;
}

std::string best_answer(const Sweep& sweep, const std::vector<PointSummary>& points) {
  std::vector<const PointSummary*> timed;
  for (const PointSummary& point : points)
    if (has_time(point)) timed.push_back(&point);
  if (timed.size() < 2 || sweep.request().axes.empty()) return "";
  const auto time = [](const PointSummary* point) { return point->interval("total_ps").mean; };
  const PointSummary& best = **std::ranges::min_element(timed, {}, time);
  const PointSummary& worst = **std::ranges::max_element(timed, {}, time);
  const ConfidenceInterval fast = best.interval("total_ps"), slow = worst.interval("total_ps");
  if (!(slow.mean > fast.mean))
    return fmt::format("All points take the same time: {}.", readable_seconds(fast.mean / ps_of_second));
  const bool several = sweep.request().axes.size() > 1;
  std::string text = fmt::format(
      "Fastest with {}: {}. Slowest with {}: {}, {} times as long.", values_text(sweep, best, true),
      readable_seconds(fast.mean / ps_of_second), values_text(sweep, worst, several),
      readable_seconds(slow.mean / ps_of_second), readable_ratio(slow.mean / fast.mean));
  if (std::isfinite(fast.radius) && std::isfinite(slow.radius) &&
      slow.mean - slow.radius <= fast.mean + fast.radius)
    text += " Their confidence intervals overlap: more seeds may tell them apart.";
  return text;
}

}  // namespace

std::string sweep_answer(const Sweep& sweep, const std::vector<PointSummary>& points) {
  if (const std::optional<std::size_t> axis = axis_of_ranks(sweep))
    if (std::string text = scaling_answer(sweep, points, *axis); !text.empty()) return text;
  return best_answer(sweep, points);
}

}  // namespace morgana
