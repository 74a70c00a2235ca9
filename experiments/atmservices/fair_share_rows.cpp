#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiments/atmservices/rows.h"

namespace morgana::atm_services_paper {
namespace {

constexpr double link = 155e3, target = 0.9 * link, others_load = 0.5 * link;  // kb/s
constexpr int interval_of_table = 30, long_interval = 600;                     // cells

/// What sources that do not obey leave of the target, or a fair part among them if that is more.
double fair(int others) {
  return std::min(80e3, std::max(target / (others + 1), target - others_load));
}

void add_share(Experiment& experiment, int others, int interval) {
  const bool of_table = interval == interval_of_table;
  Row row{fmt::format("A-74.{}{}", others, of_table ? "" : "-long"),
          fmt::format("rate of a greedy ABR source of 80 Mb/s, {} other{}, intervals of {} cells", others,
                      others == 1 ? "" : "s", interval),
          fmt::format("{:.4g}", fair(others)),
          "kb/s",
          RowKind::deterministic,
          within_share(fair(others), 0.1)};
  const Condition condition = fair_share(others, interval);
  row.needs = {condition};
  row.note =
      "The more of 0.9 C / (n + 1) and 0.9 C less the others' load. Of the others' 15 cells in 30 there are "
      "15 give or take 4, and each interval with more of them lowers the rate at once.";
  // With long intervals the closed form knows the load; the thesis's are shorter.
  if (!of_table) row.standing = Standing::informational;
  row.measure = [condition](const Laboratory& laboratory) {
    return measured(laboratory.interval(condition, "abr_kbps"), laboratory.seeds());
  };
  experiment.rows.push_back(row);
}

}  // namespace

void add_fair_shares(Experiment& experiment) {
  const int numbers[] = {1, 2, 4, 8};
  for (const int interval : {interval_of_table, long_interval})
    for (const int others : numbers) add_share(experiment, others, interval);

  Row silent{"A-74.loss", "cells that these sources lose", "0", "cells", RowKind::deterministic, at_most(0)};
  for (const int others : numbers) silent.needs.push_back(fair_share(others, interval_of_table));
  silent.note = "The others are UBR: their cells make room.";
  silent.measure = [needs = silent.needs](const Laboratory& laboratory) {
    double lost = 0;
    for (const Condition& condition : needs)
      for (const double cells : laboratory.values(condition, "cells_lost")) lost += cells;
    return measured(lost);
  };
  experiment.rows.push_back(silent);

  ExperimentFigure figure{"figure-6.14", silent.needs, {}};
  figure.draw = [numbers](const Laboratory& laboratory) {
    Curve found{"measured", {}}, expected{"fair share", {}};
    for (const int others : numbers) {
      const ConfidenceInterval rate = laboratory.interval(fair_share(others, interval_of_table), "abr_kbps");
      found.points.push_back({static_cast<double>(others), rate.mean * 1e-3, rate.radius * 1e-3});
      expected.points.push_back({static_cast<double>(others), fair(others) * 1e-3, 0});
    }
    Curves curves{"A greedy ABR source of 80 Mb/s among UBR at half the link",
                  "UBR sources",
                  "rate (Mb/s)",
                  false,
                  false,
                  {},
                  {}};
    curves.curves = {std::move(found), std::move(expected)};
    return curves;
  };
  experiment.figures.push_back(std::move(figure));
}

}  // namespace morgana::atm_services_paper
