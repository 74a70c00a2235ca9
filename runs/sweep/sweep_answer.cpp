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

/// @param pairs  "16 ranks (3.87 times) cannot be told from 8"
std::string intervals_overlap(const std::string& pairs) {
  return fmt::format(" Confidence intervals overlap: {}; more seeds may tell them apart.", pairs);
}

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

/// "4 KiB", "4 KiB and 16 KiB", "4 KiB, 8 KiB, 16 KiB and 3 more".
std::string names_of(const Sweep& sweep, const std::vector<const PointSummary*>& points, bool with_key) {
  const bool several = sweep.request().axes.size() > 1;
  std::vector<std::string> names;
  for (const PointSummary* const point : points)
    names.push_back(values_text(sweep, *point, several || (with_key && names.empty())));
  return listed(names, several ? "; " : ", ");
}

/// names_of() points that take the same time: "4 KiB and 16 KiB alike".
std::string values_of(const Sweep& sweep, const std::vector<const PointSummary*>& equal, bool with_key) {
  return names_of(sweep, equal, with_key) + (equal.size() > 1 ? " alike" : "");
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
  std::vector<std::string> reached, untold;  // as much as the best, and not certainly less; in order of ranks
  bool none_gains = false, may_gain = true;
  for (const std::size_t point : shown) {
    const Alike with_best = alike(gain_interval(gains[point], points[point]),
                                  gain_interval(gains[best], points[best]), readable_ratio);
    const std::string& ranks = points[point].values[axis];
    if (with_best == Alike::equal) reached.push_back(ranks);
    if (with_best == Alike::by_intervals)
      untold.push_back(fmt::format("{} ranks ({} times)", ranks, readable_ratio(gains[point].factor)));
    if (point != least) continue;
    none_gains = with_best == Alike::equal;
    may_gain = with_best != Alike::no;
  }
  if (none_gains)
    text += fmt::format(" No number of ranks gains on {}.", few);
  else if (best != most || reached.size() > 1)
    text += fmt::format(" Most is reached with {} ranks{}: {} times.", listed(reached, ", "),
                        reached.size() > 1 ? " alike" : "", readable_ratio(gains[best].factor));
  else if (may_gain)
    text += fmt::format(" No number of ranks is certain to gain on {}.", few);
  if (!untold.empty())
    text += intervals_overlap(
        fmt::format("{} cannot be told from {}", listed(untold, ", "), listed(reached, ", ")));
  std::optional<std::size_t> last;  // of the first ones that use their ranks well enough
  for (const std::size_t point : shown) {
    if (gains[point].efficiency < enough) break;
    last = point;
  }
  if (last && *last != most && *last != least)
    text += fmt::format(" Up to {} ranks the efficiency is at least 50 %.", points[*last].values[axis]);
  return text;
}

/// Points that are as fast, or as slow, as each other to the digits shown, and others whose intervals
/// overlap.
struct Extreme {
  ConfidenceInterval time;
  std::vector<const PointSummary*> equal, untold;
};

/// "60 % (1.430 ms)"; the time only of points whose time the sentence before does not give.
std::string untold_points(const Sweep& sweep, const Extreme& of,
                          const std::vector<const PointSummary*>& timed) {
  const bool several = sweep.request().axes.size() > 1;
  std::vector<std::string> names;
  for (const PointSummary* const point : of.untold) {
    names.push_back(values_text(sweep, *point, several));
    if (std::ranges::find(timed, point) == timed.end())
      names.back() += fmt::format(" ({})", shown_time(point->interval("total_ps").mean));
  }
  return listed(names, several ? "; " : ", ");
}

std::string best_answer(const Sweep& sweep, const std::vector<PointSummary>& points) {
  std::vector<const PointSummary*> timed;
  for (const PointSummary& point : points)
    if (has_time(point)) timed.push_back(&point);
  if (timed.size() < 2 || sweep.request().axes.empty()) return "";
  const auto time = [](const PointSummary* point) { return point->interval("total_ps"); };
  const auto mean = [&](const PointSummary* point) { return time(point).mean; };
  Extreme fast{time(*std::ranges::min_element(timed, {}, mean)), {}, {}},
      slow{time(*std::ranges::max_element(timed, {}, mean)), {}, {}};
  for (const PointSummary* const point : timed) {
    const Alike with_fast = alike(fast.time, time(point), shown_time),
                with_slow = alike(time(point), slow.time, shown_time);
    if (with_fast == Alike::equal)
      fast.equal.push_back(point);
    else if (with_slow == Alike::equal)
      slow.equal.push_back(point);
    if (with_fast == Alike::by_intervals)
      fast.untold.push_back(point);
    else if (with_slow == Alike::by_intervals && with_fast == Alike::no)
      slow.untold.push_back(point);
  }
  const std::string fast_text = shown_time(fast.time.mean), slow_text = shown_time(slow.time.mean);
  if (fast.equal.size() == timed.size()) return fmt::format("All points take the same time: {}.", fast_text);
  const bool several = sweep.request().axes.size() > 1;
  std::string text =
      fmt::format("Fastest with {}: {}. Slowest with {}: {}", values_of(sweep, fast.equal, true), fast_text,
                  values_of(sweep, slow.equal, several), slow_text);
  if (fast.time.mean > 0) text += ", " + longer_text(slow.time.mean / fast.time.mean);
  text += '.';
  std::vector<const PointSummary*> named = fast.equal;
  named.insert(named.end(), slow.equal.begin(), slow.equal.end());
  std::string pairs;
  for (const Extreme* const one : {&fast, &slow}) {
    if (one->untold.empty()) continue;
    pairs += fmt::format("{}{} {} from {}", pairs.empty() ? "" : ", ", untold_points(sweep, *one, named),
                         pairs.empty() ? "cannot be told" : "not", names_of(sweep, one->equal, several));
  }
  if (!pairs.empty()) text += intervals_overlap(pairs);
  return text;
}

}  // namespace

std::string sweep_answer(const Sweep& sweep, const std::vector<PointSummary>& points) {
  if (const std::optional<std::size_t> axis = axis_of_ranks(sweep))
    if (std::string text = scaling_answer(sweep, points, *axis); !text.empty()) return text;
  return best_answer(sweep, points);
}

}  // namespace morgana
