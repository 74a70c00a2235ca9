#include "experiments/itb/rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace morgana::itb_paper {
namespace {

/// What comes out the same each time has no interval, but for the last bit.
ConfidenceInterval interval_of(const Laboratory& laboratory, const Condition& condition,
                               const std::string& figure) {
  constexpr double last_bits = 1e-12;
  ConfidenceInterval interval = laboratory.interval(condition, figure);
  if (interval.radius < last_bits * std::abs(interval.mean)) interval.radius = 0;
  return interval;
}

}  // namespace

Row figure_row(const std::string& id, const std::string& title, const std::string& paper,
               const std::string& unit, RowKind kind, Rule rule, const Condition& condition,
               const std::string& figure, double factor) {
  Row row{id, title, paper, unit, kind, std::move(rule)};
  row.needs = {condition};
  row.measure = [condition, figure, factor](const Laboratory& laboratory) {
    ConfidenceInterval interval = interval_of(laboratory, condition, figure);
    interval.mean *= factor;
    interval.radius *= factor;
    return measured(interval, laboratory.outcomes(condition).size());
  };
  return row;
}

Row spread_row(const std::string& id, const std::string& title, const std::string& paper,
               const std::string& unit, Rule rule, const Condition& condition, const std::string& figure) {
  Row row = figure_row(id, title, paper, unit, RowKind::statistical, std::move(rule), condition, figure);
  row.measure = [condition, figure](const Laboratory& laboratory) {
    Measurement result =
        measured(interval_of(laboratory, condition, figure), laboratory.outcomes(condition).size());
    const std::vector<double> values = laboratory.values(condition, figure);
    const auto [least, greatest] = std::minmax_element(values.begin(), values.end());
    result.text = fmt::format("{:.2f} to {:.2f}", *least, *greatest);
    return result;
  };
  return row;
}

Row factor_row(const std::string& id, const std::string& title, const std::string& paper, Rule rule,
               const Condition& saturation) {
  Row row = spread_row(id, title, paper, "", std::move(rule), saturation, "factor");
  row.measure = [saturation, spread = row.measure](const Laboratory& laboratory) {
    Measurement result = spread(laboratory);
    const ConfidenceInterval knees = interval_of(laboratory, saturation, "knee_factor");
    result.text += fmt::format("; by the knees {:.2f} +- {:.2f}", knees.mean, knees.radius);
    return result;
  };
  return row;
}

Row sustained_factor_row(const std::string& id, const std::string& title, const std::string& paper, Rule rule,
                         const Condition& saturation) {
  Row row = spread_row(id, title, paper, "", std::move(rule), saturation, "sustained_factor");
  row.measure = [saturation, spread = row.measure](const Laboratory& laboratory) {
    Measurement result = spread(laboratory);
    const ConfidenceInterval knees = interval_of(laboratory, saturation, "knee_factor"),
                             peaks = interval_of(laboratory, saturation, "factor");
    result.text += fmt::format("; by the knees {:.2f} +- {:.2f}, by the peaks {:.2f} +- {:.2f}", knees.mean,
                               knees.radius, peaks.mean, peaks.radius);
    return result;
  };
  return row;
}

Row quotient_row(const std::string& id, const std::string& title, const std::string& paper, Rule rule,
                 const Condition& above, const Condition& below, const std::string& figure) {
  Row row{id, title, paper, "", RowKind::statistical, std::move(rule)};
  row.needs = {above, below};
  row.measure = [above, below, figure](const Laboratory& laboratory) {
    return measured(laboratory.quotient(above, below, figure), laboratory.seeds());
  };
  return row;
}

}  // namespace morgana::itb_paper
