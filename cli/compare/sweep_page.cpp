#include "cli/compare/sweep_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "emulator/report/run_report.h"
#include "report/chart_page.h"
#include "runs/command_text.h"
#include "runs/figures.h"
#include "runs/sweep/scaling.h"
#include "runs/sweep/sweep_answer.h"

namespace morgana::cli {
namespace {

constexpr std::size_t most_bars = 64;

/// A curve of what is the same everywhere says nothing that the table does not say, too.
bool differs(const std::string& figure, const std::vector<PointSummary>& points) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const PointSummary& point : points) {
    if (!point.figures.contains(figure)) continue;
    least = std::min(least, point.interval(figure).mean);
    most = std::max(most, point.interval(figure).mean);
  }
  return most > least;
}

std::string plain(std::string figure) {
  if (figure.ends_with("_ps")) figure.resize(figure.size() - 3);
  std::ranges::replace(figure, '_', ' ');
  return figure;
}

bool is_of_scaling(const std::string& figure) {
  return figure == speedup_figure || figure == efficiency_figure;
}

/// Whether any run has told it.
bool has_values(const std::string& figure, const std::vector<PointSummary>& points) {
  const std::string told = is_of_scaling(figure) ? time_figure : figure;
  return std::ranges::any_of(points, [&](const PointSummary& point) { return point.figures.contains(told); });
}

/// @param wanted  the figure that is shown first, if there are any values of it
ChartSection curves_of(const Sweep& sweep, const std::vector<PointSummary>& points,
                       const std::string& wanted) {
  ChartSection section{
      "Over " + sweep.request().axes.front().key,
      sweep.request().seeds.size() > 1 ? "Means over the seeds with their 90 % confidence intervals." : "",
      {}};
  for (const FigureName& figure : run_figures()) {
    if (!differs(figure.name, points) && !(figure.name == wanted && has_values(wanted, points))) continue;
    Curves curves = sweep_curves(sweep, points, figure.name);
    curves.title = figure.meaning;
    section.figures.emplace_back(plain(figure.name), std::move(curves));
  }
  // What more ranks bring is what they are varied for.
  const bool by_ranks = axis_of_ranks(sweep) == std::size_t{0};
  for (const char* figure : {speedup_figure, efficiency_figure}) {
    if ((!by_ranks && figure != wanted) || !has_values(figure, points)) continue;
    Curves curves = sweep_curves(sweep, points, figure);
    const bool weak = sweep.scaling(0) == Scaling::weak;
    curves.title = figure == std::string(speedup_figure)
                       ? (weak ? "work by time, divided by that of the fewest ranks"
                               : (by_ranks ? "time of the fewest ranks, divided by this time"
                                           : "time of the first point, divided by this time"))
                       : "speedup, divided by that of an ideal machine";
    if (by_ranks) curves.title += fmt::format(" ({} scaling)", scaling_name(sweep.scaling(0)));
    section.figures.emplace_back(figure, std::move(curves));
  }
  return section;
}

/// The name of the figure that is shown first: where ranks vary and none is asked for, what they bring.
std::string first_figure(const Sweep& sweep, const std::string& figure) {
  if (figure.empty()) return axis_of_ranks(sweep) == std::size_t{0} ? speedup_figure : plain(time_figure);
  return is_of_scaling(figure) ? figure : plain(figure);
}

std::string name_of(const Sweep& sweep, const PointSummary& point) {
  std::string name;
  for (std::size_t i = 0; i < point.values.size(); ++i)
    name += (i > 0 ? ", " : "") + sweep.request().axes[i].key + " " + point.values[i];
  return name.empty() ? sweep.request().platform : name;
}

/// The time of each point that has one.
StackedBars bars_of(const Sweep& sweep, const std::vector<PointSummary>& points) {
  constexpr double ps_per_second = 1e12;
  StackedBars bars;
  for (const PointSummary& point : points) {
    if (!point.figures.contains(time_figure)) continue;
    const ConfidenceInterval total = point.interval(time_figure);
    bars.add_run(name_of(sweep, point), total.mean / ps_per_second,
                 point.interval("compute_ps").mean / ps_per_second,
                 point.interval("communication_ps").mean / ps_per_second,
                 std::isfinite(total.radius) && total.radius > 0
                     ? fmt::format("+- {:.2g} %", 100 * total.radius / total.mean)
                     : "");
  }
  return bars;
}

}  // namespace

std::string sweep_page(const Sweep& sweep, const std::vector<PointSummary>& points, const std::string& figure,
                       const std::vector<std::string>& notices) {
  const SweepRequest& request = sweep.request();
  ChartPage page;
  page.title = request.trace.empty() ? command_text(behind_dashes(request.command))
                                     : request.trace.filename().string();
  page.title += " swept";
  page.facts = {fmt::format("{} point{}, {} seed{} each; platform {}", points.size(),
                            points.size() == 1 ? "" : "s", request.seeds.size(),
                            request.seeds.size() == 1 ? "" : "s", request.platform)};
  for (const std::string& change : request.overrides) page.facts.front() += fmt::format(", {}", change);
  if (const std::string placement = placement_text(request.map); !placement.empty())
    page.facts.front() += fmt::format("; placement {}", placement);
  page.answer = sweep_answer(sweep, points);
  page.notices = notices;
  for (std::string& sentence : unfinished_points(sweep, points)) page.notices.push_back(std::move(sentence));
  if (!request.axes.empty() && !figure.empty() && !has_values(figure, points))
    page.notices.push_back(fmt::format("no run has a value of {}: there is no chart of it", figure));
  if (!request.axes.empty()) {
    ChartSection curves = curves_of(sweep, points, figure.empty() ? time_figure : figure);
    std::stable_partition(
        curves.figures.begin(), curves.figures.end(),
        [name = first_figure(sweep, figure)](const auto& one) { return one.first == name; });
    if (!curves.figures.empty()) page.sections.push_back(std::move(curves));
  }
  if (StackedBars bars = bars_of(sweep, points); !bars.categories.empty() && points.size() <= most_bars)
    page.sections.push_back({"Computing and calls",
                             "Each point's time, as its ranks spend it in the mean.",
                             {{"time by part", std::move(bars)}}});
  page.sections.push_back({"Points", "", {{"points", chart_table(points_table(sweep, points))}}});
  return chart_page(page);
}

}  // namespace morgana::cli
