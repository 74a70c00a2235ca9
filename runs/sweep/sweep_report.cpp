#include "runs/sweep/sweep_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "emulator/report/json_text.h"
#include "emulator/report/latency_note.h"
#include "emulator/report/readable.h"
#include "runs/command_text.h"
#include "runs/sweep/scaling.h"
#include "runs/sweep/sweep_answer.h"
#include "traces/import/chakra.h"

namespace morgana {
namespace {

constexpr double ps_per_second = 1e12;

/// "12.35 us +- 0.12 us", without the interval where there is one run only.
std::string time_text(const ConfidenceInterval& interval) {
  std::string mean = readable_seconds(interval.mean / ps_per_second);
  if (!std::isfinite(interval.radius) || interval.radius == 0) return mean;
  return mean + " +- " + readable_seconds(interval.radius / ps_per_second);
}

std::string share_text(const ConfidenceInterval& interval) {
  std::string mean = readable_share(interval.mean);
  if (!std::isfinite(interval.radius) || interval.radius == 0) return mean;
  return mean + " +- " + readable_share(interval.radius);
}

/// Where only collectives sent anything there is none.
std::string latency_text(const ConfidenceInterval& interval) {
  return interval.mean > 0 ? readable_seconds(interval.mean / ps_per_second) : "-";
}

/// The axis as numbers of one unit, if all its values are such.
struct Scale {
  std::vector<double> numbers;
  std::string unit;
};
std::optional<Scale> scale_of(const Axis& axis) {
  Scale scale;
  for (std::size_t i = 0; i < axis.values.size(); ++i) {
    double number = 0;
    std::string unit;
    if (!leading_number(axis.values[i], number, unit)) return std::nullopt;
    if (i > 0 && unit != scale.unit) return std::nullopt;
    scale.unit = unit;
    scale.numbers.push_back(number);
  }
  return scale;
}

/// Multiples of what a platform has, "x0.5", are numbers, too.
std::optional<Scale> scale_of_multiples(const Axis& axis) {
  Axis plain = axis;
  for (std::string& value : plain.values) {
    if (!value.starts_with('x')) return std::nullopt;
    value.erase(0, 1);
  }
  std::optional<Scale> scale = scale_of(plain);
  if (!scale || !scale->unit.empty()) return std::nullopt;
  scale->unit = "times the platform's";
  return scale;
}

/// Whether each value is the one before it times the same factor, as those of FROM..TO:xFACTOR are.
bool grow_by_one_factor(const std::vector<double>& numbers) {
  constexpr double nearly = 1e-9;
  for (std::size_t i = 2; i < numbers.size(); ++i) {
    const double factor = numbers[1] / numbers[0], next = numbers[i] / numbers[i - 1];
    if (std::abs(next - factor) > nearly * factor) return false;
  }
  return true;
}

/// Where values lie far apart or grow by a factor, equal factors are equal distances.
bool wants_logarithm(const std::vector<double>& numbers) {
  constexpr double far = 100;
  const auto [least, greatest] = std::minmax_element(numbers.begin(), numbers.end());
  if (numbers.size() < 3 || *least <= 0) return false;
  return *greatest / *least >= far || grow_by_one_factor(numbers);
}

bool is_of_scaling(const std::string& figure) {
  return figure == speedup_figure || figure == efficiency_figure;
}

/// What is drawn of one figure, by point; nothing where a point has no such value.
using DrawnValues = std::vector<std::optional<ConfidenceInterval>>;

DrawnValues drawn_values(const Sweep& sweep, const std::vector<PointSummary>& points,
                         const std::string& figure) {
  DrawnValues values(points.size());
  const std::vector<SpeedUp> gains =
      is_of_scaling(figure) ? speed_ups(sweep, points, 0) : std::vector<SpeedUp>();
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (gains.empty()) {
      if (points[i].figures.contains(figure)) values[i] = points[i].interval(figure);
      continue;
    }
    constexpr double percent = 100;
    const double value = figure == speedup_figure ? gains[i].factor : percent * gains[i].efficiency;
    if (value > 0) values[i] = ConfidenceInterval{value, value * gains[i].uncertainty};
  }
  return values;
}

/// What an ideal machine would show of the figure; no points where nothing is ideal.
Curve ideal_curve(const Sweep& sweep, const std::string& figure, const Scale& scale) {
  constexpr double percent = 100;
  Curve ideal{"ideal", {}, Curve::Style::line};
  const std::vector<double> gains = ideal_gains(sweep, 0);
  for (std::size_t i = 0; i < gains.size(); ++i)
    ideal.points.push_back({scale.numbers[i], figure == speedup_figure ? gains[i] : percent, 0});
  std::ranges::sort(ideal.points, {}, &CurvePoint::x);
  return ideal;
}

std::string meaning_of_scaling(const Sweep& sweep) {
  return scaling_name(sweep.scaling(0)) + " scaling";
}

std::string without_ps(const std::string& figure) {
  return figure.ends_with("_ps") ? figure.substr(0, figure.size() - 3) : figure;
}

/// The unit in which the greatest value reads best.
struct FigureUnit {
  double divisor;
  const char* name;
};
FigureUnit unit_for(const std::string& figure, double greatest) {
  if (!figure.ends_with("_ps")) return {1, ""};
  if (greatest >= ps_per_second) return {ps_per_second, " (s)"};
  if (greatest >= 1e9) return {1e9, " (ms)"};
  return {1e6, " (us)"};
}

}  // namespace

ConfidenceInterval PointSummary::interval(const std::string& figure) const {
  const auto found = figures.find(figure);
  return confidence_interval(found == figures.end() ? RunningStatistics() : found->second);
}

std::vector<PointSummary> summarize(const Sweep& sweep, const std::vector<CsvRow>& rows) {
  std::vector<PointSummary> points;
  const std::size_t first_figure = sweep.inputs() + 1;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const std::size_t seeds = sweep.request().seeds.size();
    if (i % seeds == 0)
      points.push_back({sweep.points()[i / seeds].values, 0, 0, {}, {}, sweep.points()[i / seeds].bound});
    PointSummary& point = points.back();
    ++point.runs;
    if (rows[i][sweep.inputs()] != RunOutcome().word) {
      ++point.unfinished;
      const std::string& reason = rows[i][sweep.inputs()];
      if (std::find(point.reasons.begin(), point.reasons.end(), reason) == point.reasons.end())
        point.reasons.push_back(reason);
      continue;
    }
    for (std::size_t figure = 0; figure < run_figures().size(); ++figure) {
      const std::string& cell = rows[i].at(first_figure + figure);
      if (!cell.empty()) point.figures[run_figures()[figure].name].add(std::strtod(cell.c_str(), nullptr));
    }
  }
  return points;
}

/// Messages that were lost or returned, in the mean.
double undelivered(const PointSummary& point) {
  return point.interval("messages_lost").mean + point.interval("messages_returned").mean;
}

std::vector<std::string> unfinished_points(const Sweep& sweep, const std::vector<PointSummary>& points) {
  std::vector<std::string> sentences;
  for (const PointSummary& point : points) {
    std::string where;
    for (std::size_t i = 0; i < point.values.size(); ++i)
      where += (i > 0 ? ", " : "") + sweep.request().axes[i].key + " " + point.values[i];
    if (where.empty()) where = sweep.request().platform;
    for (const std::string& reason : point.reasons) {
      sentences.push_back(fmt::format("{}: {}", where, reason));
      if (reason == unstable_run)
        sentences.back() += ": what was sent again as often as transport.tries says still did not come";
    }
  }
  return sentences;
}

TextTable points_table(const Sweep& sweep, const std::vector<PointSummary>& points) {
  std::vector<std::string> heading;
  for (const Axis& axis : sweep.request().axes) heading.push_back(axis.key);
  if (heading.empty()) heading.emplace_back("platform");
  for (const Binding& binding : sweep.request().bindings) heading.push_back(binding.name);
  heading.insert(heading.end(), {"runs", "total", "communication", "share", "mean latency"});
  const bool losing = std::any_of(points.begin(), points.end(), [](const PointSummary& point) {
    return point.unfinished > 0 || undelivered(point) > 0;
  });
  const bool sharing = std::any_of(points.begin(), points.end(), [](const PointSummary& point) {
    return point.interval("share_within_hosts").mean > 0;
  });
  const std::vector<SpeedUp> gains = speed_ups(sweep, points);
  if (!gains.empty()) heading.insert(heading.end(), {"speedup", "efficiency"});
  if (sharing) heading.emplace_back("within hosts");
  if (losing) heading.insert(heading.end(), {"undelivered", "unfinished"});
  TextTable table(heading);
  for (const PointSummary& point : points) {
    std::vector<std::string> row = point.values;
    if (row.empty()) row.push_back(sweep.request().platform);
    row.insert(row.end(), point.bound.begin(), point.bound.end());
    row.push_back(fmt::format("{}", point.runs));
    if (point.unfinished == point.runs) {
      row.insert(row.end(), {"-", "-", "-", "-"});
    } else {
      row.insert(row.end(),
                 {time_text(point.interval("total_ps")), time_text(point.interval("communication_ps")),
                  share_text(point.interval("communication_share")),
                  latency_text(point.interval("mean_latency_ps"))});
    }
    if (!gains.empty()) {
      const SpeedUp& gain = gains[static_cast<std::size_t>(&point - points.data())];
      row.push_back(gain.factor > 0 ? fmt::format("{:.2f}", gain.factor) : "-");
      row.push_back(gain.factor > 0 ? readable_share(gain.efficiency) : "-");
    }
    if (sharing)
      row.push_back(
          point.unfinished == point.runs ? "-" : readable_share(point.interval("share_within_hosts").mean));
    if (losing) {
      row.push_back(readable_number(undelivered(point)));
      row.push_back(fmt::format("{}", point.unfinished));
    }
    table.add(row);
  }
  return table;
}

std::string sweep_table(const Sweep& sweep, const std::vector<PointSummary>& points) {
  std::string text = points_table(sweep, points).text();
  if (std::ranges::any_of(points, [](const PointSummary& point) {
        return point.unfinished < point.runs && point.interval("mean_latency_ps").mean > 0;
      }))
    text += latency_note(!sweep.request().trace.empty() && chakra::is_chakra(sweep.request().trace));
  for (const std::string& sentence : unfinished_points(sweep, points)) text += sentence + '\n';
  return text;
}

std::string sweep_json(const Sweep& sweep, const std::vector<PointSummary>& points) {
  nlohmann::ordered_json report{
      {"platform", sweep.request().platform}, {"seeds", sweep.request().seeds}, {"confidence", 0.9}};
  if (!sweep.request().overrides.empty()) report["overrides"] = sweep.request().overrides;
  if (sweep.request().map != SweepRequest().map) report["map"] = sweep.request().map;
  if (const std::optional<std::size_t> ranks = axis_of_ranks(sweep))
    report["scaling"] = scaling_name(sweep.scaling(*ranks));
  if (const std::string answer = sweep_answer(sweep, points); !answer.empty()) report["answer"] = answer;
  report["points"] = nlohmann::ordered_json::array();
  const std::vector<SpeedUp> gains = speed_ups(sweep, points);
  for (const PointSummary& point : points) {
    nlohmann::ordered_json entry{{"values", nlohmann::ordered_json::object()},
                                 {"runs", point.runs},
                                 {"unfinished", point.unfinished},
                                 {"reasons", point.reasons},
                                 {"figures", nlohmann::ordered_json::object()}};
    for (std::size_t i = 0; i < point.values.size(); ++i)
      entry["values"][sweep.request().axes[i].key] = point.values[i];
    for (std::size_t i = 0; i < point.bound.size(); ++i)
      entry["values"][sweep.request().bindings[i].name] = point.bound[i];
    for (const FigureName& figure : run_figures()) {
      if (!point.figures.contains(figure.name)) continue;
      const ConfidenceInterval interval = point.interval(figure.name);
      entry["figures"][figure.name]["mean"] = interval.mean;
      // JSON knows no infinity.
      if (std::isfinite(interval.radius))
        entry["figures"][figure.name]["radius"] = interval.radius;
      else
        entry["figures"][figure.name]["radius"] = nullptr;
    }
    if (!gains.empty()) {
      entry["speed_up"] = gains[static_cast<std::size_t>(&point - points.data())].factor;
      entry["efficiency"] = gains[static_cast<std::size_t>(&point - points.data())].efficiency;
    }
    report["points"].push_back(entry);
  }
  return json_text(report);
}

void check_curves(const Sweep& sweep, const std::string& figure) {
  if (sweep.request().axes.empty()) throw Error("there is nothing to plot over: sweep something with --over");
  if (figure == efficiency_figure && ideal_gains(sweep, 0).empty())
    throw Error(fmt::format(
        "efficiency is speedup by rank, so it needs plain numbers of the program first: sweep ranks (or an "
        "argument of the program) by the first --over, not {}; --figure speedup has no such need",
        sweep.request().axes.front().key));
  if (is_of_scaling(figure)) {
    if (const std::string none = no_speed_up(sweep);
        !none.empty() && sweep.request().axes.front().key == "ranks")
      throw Error(fmt::format("--figure {}: {}", figure, none));
    return;
  }
  const auto names = run_figures();
  if (std::none_of(names.begin(), names.end(), [&](const FigureName& one) { return one.name == figure; })) {
    std::string all;
    for (const FigureName& one : names) all += std::string(one.name) + ", ";
    all += fmt::format("{} and {}", speedup_figure, efficiency_figure);
    throw Error(fmt::format("--figure: there is no figure {}; the figures are {}", figure, all));
  }
}

Curves sweep_curves(const Sweep& sweep, const std::vector<PointSummary>& points, const std::string& figure) {
  check_curves(sweep, figure);
  const Axis& axis = sweep.request().axes.front();
  std::optional<Scale> scale = scale_of(axis);
  if (!scale) scale = scale_of_multiples(axis);
  double greatest = 0;
  double least = std::numeric_limits<double>::infinity();
  const DrawnValues values = drawn_values(sweep, points, figure);
  for (const std::optional<ConfidenceInterval>& value : values) {
    if (!value) continue;
    greatest = std::max(greatest, value->mean);
    least = std::min(least, value->mean);
  }
  const FigureUnit unit = unit_for(figure, greatest);
  Curves curves;
  const SweepRequest& request = sweep.request();
  curves.title = request.trace.empty() ? command_text(behind_dashes(request.command))
                                       : request.trace.filename().string();
  const bool on_several = std::any_of(request.axes.begin(), request.axes.end(),
                                      [](const Axis& one) { return one.key == "platform"; });
  if (!on_several) curves.title += " on " + request.platform;
  curves.x_name = axis.key + (scale && !scale->unit.empty() ? " (" + scale->unit + ")" : "");
  constexpr double far = 50;  // the short ones would lie on the axis
  curves.logarithmic_y = least > 0 && greatest >= far * least;
  curves.y_name = without_ps(figure) + unit.name;
  std::replace(curves.y_name.begin(), curves.y_name.end(), '_', ' ');
  if (scale)
    curves.logarithmic_x = wants_logarithm(scale->numbers);
  else
    curves.places = axis.values;
  if (is_of_scaling(figure)) curves.title += ", " + meaning_of_scaling(sweep);
  if (figure == efficiency_figure) curves.y_name += " (%)";
  // Then an ideal machine's speedup is a straight line, too.
  if (figure == speedup_figure) curves.logarithmic_y = curves.logarithmic_x && !ideal_gains(sweep, 0).empty();
  // The first axis changes last: the points of one curve lie `others` apart.
  const std::size_t others = points.size() / axis.values.size();
  for (std::size_t other = 0; other < others; ++other) {
    Curve curve;
    for (std::size_t i = 1; i < sweep.request().axes.size(); ++i)
      curve.name +=
          (curve.name.empty() ? "" : ", ") + sweep.request().axes[i].key + " " + points[other].values[i];
    for (std::size_t at = 0; at < axis.values.size(); ++at) {
      const std::optional<ConfidenceInterval>& value = values[at * others + other];
      if (!value) continue;
      curve.points.push_back({scale ? scale->numbers[at] : static_cast<double>(at),
                              value->mean / unit.divisor,
                              std::isfinite(value->radius) ? value->radius / unit.divisor : 0});
    }
    curves.curves.push_back(std::move(curve));
  }
  if (is_of_scaling(figure) && scale)
    if (Curve ideal = ideal_curve(sweep, figure, *scale); !ideal.points.empty()) {
      if (others == 1) curves.curves.front().name = figure;
      curves.curves.push_back(std::move(ideal));
    }
  return curves;
}

}  // namespace morgana
