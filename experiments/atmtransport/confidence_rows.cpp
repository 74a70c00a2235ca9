#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "experiments/atmtransport/rows.h"

namespace morgana::atm_transport_paper {
namespace {

Row radius(const std::string& id, const std::string& title, const std::string& paper,
           const Condition& condition) {
  Row row{id, title, paper, "%", RowKind::statistical, at_most(15)};
  row.needs = {condition};
  row.measure = [condition](const Laboratory& laboratory) {
    if (!all_finished(laboratory, condition)) return found(false, told(laboratory, condition));
    const ConfidenceInterval interval = laboratory.interval(condition, "latency_s");
    Measurement measurement = measured(100 * interval.radius / interval.mean);
    measurement.runs = laboratory.seeds();
    measurement.text = waiting(laboratory, condition);
    return measurement;
  };
  return row;
}

}  // namespace

void add_confidence(Experiment& experiment) {
  struct Printed {
    std::string name, protocol, paper;
    int judged;  // load
  };
  for (const Printed& printed : {Printed{"sscop", sscop, "7.60", 70}, Printed{"one", single, "5.16", 110},
                                 Printed{"several", several, "12.30", 110}}) {
    const auto title = [](int load) {
      return fmt::format("radius of the latency's 90 % interval at rho {}", load / 100.0);
    };
    Row row = radius("A-50." + printed.name, title(printed.judged), printed.paper,
                     loaded({printed.protocol, printed.judged}));
    row.note = "Of ten runs; Table 5.7 does not say at which rho.";
    experiment.rows.push_back(row);
    for (const int load : loads) {
      // SSCOP's latency beyond rho 0.9 is not finite.
      if (load == printed.judged || (printed.protocol == sscop && load > 90)) continue;
      Row other = radius(fmt::format("A-50.{}-{}", printed.name, load), title(load), printed.paper,
                         loaded({printed.protocol, load}));
      other.rule = no_rule();
      other.standing = Standing::informational;
      experiment.rows.push_back(other);
    }
  }
  // "the obtained intervals are good enough to enable the differentiation of the latency performance of the
  // three measured mechanisms"
  Row apart =
      shape("A-50.apart", "the three mechanisms' 90 % intervals of latency at rho 0.7", "do not overlap",
            "no two overlap", {loaded({sscop, 70}), loaded({single, 70}), loaded({several, 70})});
  apart.measure = [needs = apart.needs](const Laboratory& laboratory) {
    std::vector<std::pair<double, double>> intervals;
    std::string text;
    for (const Condition& one : needs) {
      if (!all_finished(laboratory, one)) return found(false, told(laboratory, one));
      const ConfidenceInterval interval = laboratory.interval(one, "latency_s");
      intervals.emplace_back(interval.mean - interval.radius, interval.mean + interval.radius);
      text += fmt::format("{}{}: {:.3g} to {:.3g} s", text.empty() ? "" : ", ", one.platform,
                          intervals.back().first, intervals.back().second);
    }
    std::sort(intervals.begin(), intervals.end());
    const bool overlap =
        intervals[0].second >= intervals[1].first || intervals[1].second >= intervals[2].first;
    return found(!overlap, text);
  };
  experiment.rows.push_back(apart);
  Condition condition = loaded({sscop, 70});
  condition.workload = long_workload;
  Row longer = radius("A-50.sscop-long", "the same of 256 messages instead of 32", "7.60", condition);
  longer.rule = no_rule();
  longer.standing = Standing::informational;
  experiment.rows.push_back(longer);
}

}  // namespace morgana::atm_transport_paper
