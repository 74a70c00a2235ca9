#include <fmt/format.h>

#include <cmath>

#include "experiments/itb/rows.h"
#include "experiments/itb/testbed.h"

// The first implementation on real interfaces: section 6.1, figures 21 and 22.
namespace morgana::itb_paper {
namespace {

constexpr double us_per_ns = 1e-3;

/// "1.26 (handlers of 61 cycles), ...": of the variants that change it.
std::string sensitivity(const std::map<std::string, double>& figures, const std::string& figure,
                        double factor) {
  constexpr double little = 0.01;
  std::string text;
  for (const Variant& variant : variants()) {
    const double value = figures.at(fmt::format("{}.{}", variant.name, figure));
    if (std::abs(value - figures.at(figure)) <= little * figures.at(figure)) continue;
    text += fmt::format("{}{:.4g} ({})", text.empty() ? "otherwise " : ", ", factor * value, variant.name);
  }
  return text;
}

/// With what it would be if one thing were otherwise.
Row sensitive_row(const std::string& id, const std::string& title, const std::string& paper,
                  const std::string& unit, Rule rule, const Condition& condition, const std::string& figure,
                  double factor) {
  Row row =
      figure_row(id, title, paper, unit, RowKind::statistical, std::move(rule), condition, figure, factor);
  row.measure = [condition, figure, factor](const Laboratory& laboratory) {
    const auto& figures = laboratory.outcomes(condition).front().figures;
    Measurement result = measured(factor * figures.at(figure));
    result.text = sensitivity(figures, figure, factor);
    return result;
  };
  return row;
}

Row falling_share(const Condition& condition) {
  Row row{"I-52.share",   "the share that this is of a half round trip falls with length",
          "1 % to 0.4 %", "",
          RowKind::shape, as_worded("falls with length")};
  row.needs = {condition};
  row.measure = [condition](const Laboratory& laboratory) {
    const auto& figures = laboratory.outcomes(condition).front().figures;
    const double shortest = figures.at("overhead_1"), longest = figures.at("overhead_4096");
    return found(longest < shortest, fmt::format("{:.2f} % (1 B), {:.2f} % (4096 B)", shortest, longest));
  };
  return row;
}

ExperimentFigure curves_over_length(const std::string& name, const Condition& condition,
                                    const std::string& title,
                                    const std::vector<std::pair<std::string, std::string>>& series) {
  const auto draw = [condition, title, series](const Laboratory& laboratory) {
    Curves curves;
    curves.title = title;
    curves.x_name = "message length (B)";
    curves.y_name = "half round trip (us)";
    const auto& figures = laboratory.outcomes(condition).front().figures;
    for (const auto& [one, curve_name] : series) {
      Curve curve{curve_name, {}};
      for (std::int64_t bytes = 1; figures.contains(fmt::format("{}.{}", one, bytes)); bytes *= 2)
        curve.points.push_back(
            {static_cast<double>(bytes), us_per_ns * figures.at(fmt::format("{}.{}", one, bytes))});
      curves.curves.push_back(std::move(curve));
    }
    return curves;
  };
  return {name, {condition}, draw};
}

ExperimentFigure overhead_over_length(const std::string& name, const Condition& condition) {
  const auto draw = [condition](const Laboratory& laboratory) {
    Curves curves;
    curves.title = "what a host in transit adds: twice the difference of half round trips";
    curves.x_name = "message length (B)";
    curves.y_name = "overhead (us)";
    const auto& figures = laboratory.outcomes(condition).front().figures;
    Curve curve{"overhead", {}};
    for (std::int64_t bytes = 1; figures.contains(fmt::format("changed.{}", bytes)); bytes *= 2)
      curve.points.push_back(
          {static_cast<double>(bytes), us_per_ns * 2 *
                                           (figures.at(fmt::format("through_host.{}", bytes)) -
                                            figures.at(fmt::format("changed.{}", bytes)))});
    curves.curves = {std::move(curve)};
    return curves;
  };
  return {name, {condition}, draw};
}

}  // namespace

void add_implementation(Experiment& experiment, PaperTasks& tasks) {
  const Condition condition = tasks.enter({.kind = PaperTask::Kind::testbed}, false);
  auto& rows = experiment.rows;
  constexpr double overhead = 125, most = 300, short_message = 12.5, quarter = 0.25;
  rows.push_back(sensitive_row("I-52", "what the changed interface program costs every packet", "125", "ns",
                               within_share(overhead, quarter), condition, "overhead", 1));
  rows.back().note = "the cost of a look at a packet's type is assumed (8 cycles)";
  rows.push_back(figure_row("I-52.most", "the same, at most, 1 B to 4 KiB", "300", "ns", RowKind::statistical,
                            at_most(most), condition, "overhead_most"));
  rows.back().note = rows[rows.size() - 2].note;
  rows.push_back(falling_share(condition));
  rows.push_back(sensitive_row("I-52.base", "half round trip of a byte, original program", "12.5", "us",
                               within_share(short_message, quarter), condition, "short", us_per_ns));
  rows.back().standing = Standing::informational;
  rows.back().note =
      "the paper implies it: 125 ns are 1 %; ours follows from GM's latencies on later interfaces";
  rows.push_back(sensitive_row("I-53", "what an in-transit host of the first implementation costs", "1.3",
                               "us", between(1.2, 1.4), condition, "in_transit", us_per_ns));
  rows.back().note =
      "the cost of a handler follows from GM's latencies on later interfaces, not from this row; that all "
      "handlers cost the same is assumed";
  auto& figures = experiment.figures;
  figures.push_back(curves_over_length("figure-21", condition, "original and changed interface program",
                                       {{"original", "original"}, {"changed", "with in-transit support"}}));
  figures.push_back(curves_over_length("figure-22a", condition, "up*/down* path and one in-transit host",
                                       {{"changed", "up*/down*"}, {"through_host", "in-transit"}}));
  figures.push_back(overhead_over_length("figure-22b", condition));
}

}  // namespace morgana::itb_paper
