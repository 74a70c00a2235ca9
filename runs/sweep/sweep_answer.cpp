#include "runs/sweep/sweep_answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

#include "emulator/report/readable.h"
#include "emulator/report/times_as.h"
#include "runs/sweep/scaling.h"

namespace morgana {
namespace {

constexpr double ps_of_second = 1e12, enough = 0.5;

constexpr const char* intervals_overlap =
    " Confidence intervals overlap: more seeds may tell such points apart.";

/// Whether two points differ, as far as the seeds say.
enum class Alike : std::uint8_t { no, equal, by_intervals };

/// Equal to the digits that are shown, or with overlapping intervals. Of a single seed no interval is known.
/// @param less  its mean is not above that of `more`
Alike alike(const ConfidenceInterval& less, const ConfidenceInterval& more, std::string (*shown)(double)) {
  if (less.mean == more.mean || shown(less.mean) == shown(more.mean)) return Alike::equal;
  const bool known = std::isfinite(less.radius) && std::isfinite(more.radius);
  return known && more.least() <= less.greatest() ? Alike::by_intervals : Alike::no;
}

std::string shown_time(double ps) {
  return readable_seconds(ps / ps_of_second);
}

/// Of a gain over the base, as uncertain as the point's own time.
ConfidenceInterval gain_interval(const SpeedUp& gain, const PointSummary& point) {
  const ConfidenceInterval time = point.interval("total_ps");
  return {gain.factor, gain.factor * time.radius / time.mean};
}

/// "2, 4 and 8": of many the first ones, and how many more.
std::string listed(const std::vector<std::string>& names, const char* between) {
  constexpr std::size_t most = 4;
  const std::size_t shown = names.size() > most ? most - 1 : names.size();
  std::string text;
  for (std::size_t i = 0; i < shown; ++i) {
    const bool last = i > 0 && i + 1 == names.size();
    if (i > 0) text += last ? " and " : between;
    text += names[i];
  }
  if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
  return text;
}

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

/// "4 KiB", "4 KiB and 16 KiB alike", "4 KiB, 8 KiB, 16 KiB and 3 more alike".
std::string values_of(const Sweep& sweep, const std::vector<const PointSummary*>& alike, bool with_key) {
  const bool several = sweep.request().axes.size() > 1;
  std::vector<std::string> names;
  for (const PointSummary* const point : alike)
    names.push_back(values_text(sweep, *point, several || (with_key && names.empty())));
  return listed(names, several ? "; " : ", ") + (names.size() > 1 ? " alike" : "");
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
    text += fmt::format("{} ranks are {}, of an ideal {}", many, faster_text(gains[most].factor, few),
                        ideal_text);
  else
    text += fmt::format("{} ranks take {}", many, longer_text(1 / gains[most].factor, few));
  text += fmt::format(": efficiency {} ({} scaling).", readable_share(gains[most].efficiency),
                      scaling_name(sweep.scaling(axis)));
  const std::size_t best =
      *std::ranges::max_element(shown, {}, [&](std::size_t i) { return gains[i].factor; });
  std::vector<std::size_t> reached;  // as much as the best, in the order of ranks
  bool by_intervals = false;
  for (const std::size_t point : shown) {
    const Alike with_best = alike(gain_interval(gains[point], points[point]),
                                  gain_interval(gains[best], points[best]), readable_ratio);
    if (with_best != Alike::no) reached.push_back(point);
    by_intervals = by_intervals || with_best == Alike::by_intervals;
  }
  if (reached.front() == least) {
    text += fmt::format(" No number of ranks gains on {}.", few);
  } else if (best != most || reached.size() > 1) {
    std::vector<std::string> names;
    for (const std::size_t point : reached) names.push_back(points[point].values[axis]);
    text += fmt::format(" Most is reached with {} ranks{}: {} times.", listed(names, ", "),
                        reached.size() > 1 ? " alike" : "", readable_ratio(gains[best].factor));
  }
  if (by_intervals) text += intervals_overlap;
  std::optional<std::size_t> last;  // of the first ones that use their ranks well enough
  for (const std::size_t point : shown) {
    if (gains[point].efficiency < enough) break;
    last = point;
  }
  if (last && *last != most && *last != least)
    text += fmt::format(" Up to {} ranks the efficiency is at least 50 %.", points[*last].values[axis]);
  return text;
}

std::string best_answer(const Sweep& sweep, const std::vector<PointSummary>& points) {
  std::vector<const PointSummary*> timed;
  for (const PointSummary& point : points)
    if (has_time(point)) timed.push_back(&point);
  if (timed.size() < 2 || sweep.request().axes.empty()) return "";
  const auto time = [](const PointSummary* point) { return point->interval("total_ps"); };
  const auto mean = [&](const PointSummary* point) { return time(point).mean; };
  const ConfidenceInterval fast = time(*std::ranges::min_element(timed, {}, mean)),
                           slow = time(*std::ranges::max_element(timed, {}, mean));
  std::vector<const PointSummary*> fastest, slowest;
  bool by_intervals = false;
  for (const PointSummary* const point : timed) {
    const Alike with_fast = alike(fast, time(point), shown_time);
    if (with_fast != Alike::no)
      fastest.push_back(point);
    else if (alike(time(point), slow, shown_time) != Alike::no)
      slowest.push_back(point);
    by_intervals = by_intervals || with_fast == Alike::by_intervals;
  }
  const std::string fast_text = shown_time(fast.mean), slow_text = shown_time(slow.mean);
  if (fastest.size() == timed.size() && !by_intervals)
    return fmt::format("All points take the same time: {}.", fast_text);
  if (fastest.size() == timed.size())
    return fmt::format("No point is faster than all others: {} to {}.{}", fast_text, slow_text,
                       intervals_overlap);
  const bool several = sweep.request().axes.size() > 1;
  std::string text = fmt::format("Fastest with {}: {}. Slowest with {}: {}", values_of(sweep, fastest, true),
                                 fast_text, values_of(sweep, slowest, several), slow_text);
  if (fast.mean > 0) text += ", " + longer_text(slow.mean / fast.mean);
  text += '.';
  if (by_intervals) text += intervals_overlap;
  return text;
}

}  // namespace

std::string sweep_answer(const Sweep& sweep, const std::vector<PointSummary>& points) {
  if (const std::optional<std::size_t> axis = axis_of_ranks(sweep))
    if (std::string text = scaling_answer(sweep, points, *axis); !text.empty()) return text;
  return best_answer(sweep, points);
}

}  // namespace morgana
