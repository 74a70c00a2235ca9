#include <fmt/format.h>

#include <cmath>

#include "experiments/atmtransport/rows.h"

namespace morgana::atm_transport_paper {

void add_latency(Experiment& experiment) {
  Row ratio = shape("A-45", "latency of whole messages, one element a cell over several",
                    "0.166 / 0.0112 = 14.8", "8 to 25 at some rho of Table 5.4", {});
  const auto& compared = loads_of_table;
  for (const int load : compared)
    for (const std::string& protocol : {several, single}) ratio.needs.push_back(loaded({protocol, load}));
  ratio.measure = [](const Laboratory& laboratory) {
    bool holds = false;
    std::string text;
    for (const int load : loads_of_table) {
      if (!all_finished(laboratory, loaded({single, load})) ||
          !all_finished(laboratory, loaded({several, load})))
        continue;
      const double factor =
          latency(laboratory, loaded({single, load})) / latency(laboratory, loaded({several, load}));
      holds = holds || (factor >= 8 && factor <= 25);
      text += fmt::format("{}rho {}: {:.3g} ({}; {})", text.empty() ? "" : ", ", load / 100.0, factor,
                          waiting(laboratory, loaded({single, load})),
                          waiting(laboratory, loaded({several, load})));
    }
    return found(holds, text);
  };
  experiment.rows.push_back(ratio);

  Row order =
      shape("A-46.forms", "latency at rho 0.7 and 1.1", "several < one a cell", "in this order",
            {loaded({several, 70}), loaded({single, 70}), loaded({several, 110}), loaded({single, 110})});
  order.measure = [](const Laboratory& laboratory) {
    bool holds = true;
    std::string text;
    for (const int load : {70, 110}) {
      const Condition few = loaded({several, load}), many = loaded({single, load});
      holds = holds && all_finished(laboratory, few) && all_finished(laboratory, many) &&
              latency(laboratory, few) < latency(laboratory, many);
      text += told(laboratory, few) + " < " + told(laboratory, many) + (load == 70 ? "; " : "");
    }
    return found(holds, text);
  };
  experiment.rows.push_back(order);
  for (const std::string& protocol : {several, single}) {
    Row row = shape(fmt::format("A-46.{}", protocol == single ? "one" : "several"),
                    "latency at rho 0.9 below SSCOP's", "lower", "lower, or SSCOP is unstable",
                    {loaded({protocol, 90}), loaded({sscop, 90})});
    row.measure = [protocol](const Laboratory& laboratory) {
      const Condition ours = loaded({protocol, 90}), other = loaded({sscop, 90});
      const bool holds =
          all_finished(laboratory, ours) &&
          (!all_finished(laboratory, other) || latency(laboratory, ours) < latency(laboratory, other));
      return found(holds, told(laboratory, ours) + " against " + told(laboratory, other));
    };
    experiment.rows.push_back(row);
  }
}

// Other readings of what cells and frames cost, beside the one that is judged.
void add_other_readings(Experiment& experiment) {
  struct Reading {
    std::string id, text;
    bool controller, occupying;
  };
  for (const Reading& reading : {Reading{"slow", "interfaces with 8.25 us a cell", true, false},
                                 Reading{"occupying", "hosts work on one frame at a time", false, true}}) {
    const auto at = [reading](const std::string& protocol, int load) {
      return loaded({.platform = protocol,
                     .load = load,
                     .controller = reading.controller,
                     .occupying = reading.occupying});
    };
    for (const int load : {70, 90, 110}) {
      Row row{fmt::format("A-45.{}-{}", reading.id, load),
              fmt::format("one element a cell and several at rho {}, {}", load / 100.0, reading.text),
              "0.166 and 0.0112",
              "",
              RowKind::reference,
              no_rule(),
              Standing::informational};
      row.needs = {at(single, load), at(several, load)};
      // Beyond rho 1 SSCOP is unstable whatever cells and frames cost.
      const bool beside = load < 100;
      if (beside) row.needs.push_back(at(sscop, load));
      row.measure = [at, load, beside](const Laboratory& laboratory) {
        const Condition one = at(single, load), few = at(several, load);
        const std::string frames = beside ? "; SSCOP: " + told(laboratory, at(sscop, load)) : "";
        return found(false, fmt::format("{} ({}), {} ({}){}", told(laboratory, one), waiting(laboratory, one),
                                        told(laboratory, few), waiting(laboratory, few), frames));
      };
      experiment.rows.push_back(row);
    }
  }
}

namespace {

/// @param longer  with T_POLL 1.5 s instead of 1000 cells of buffer
Condition changed(const std::string& protocol, int load, bool longer) {
  return longer ? loaded({protocol, load, 200, 1500}) : loaded({protocol, load, 1000, 500});
}

}  // namespace

void add_changes(Experiment& experiment) {
  Row lower = shape("A-47.loss", "loss with 1000 cells of buffer at rho 0.7, several a cell", "lower",
                    "lower", {loaded({several, 70}), changed(several, 70, false)});
  lower.measure = [](const Laboratory& laboratory) {
    const double before = loss(laboratory, loaded({several, 70}));
    const double after = loss(laboratory, changed(several, 70, false));
    return found(after < before, fmt::format("{:.3g} % after {:.3g} %", 100 * after, 100 * before));
  };
  experiment.rows.push_back(lower);
  Row knee = shape("A-47.sscop", "SSCOP at rho 0.9 with 1000 cells of buffer", "lower latency than with 200",
                   "it finishes, and sooner than with 200 if that finishes",
                   {loaded({sscop, 90}), changed(sscop, 90, false)});
  knee.measure = [](const Laboratory& laboratory) {
    const Condition before = loaded({sscop, 90}), after = changed(sscop, 90, false);
    return found(
        all_finished(laboratory, after) &&
            (!all_finished(laboratory, before) || latency(laboratory, after) < latency(laboratory, before)),
        told(laboratory, after) + " after " + told(laboratory, before));
  };
  experiment.rows.push_back(knee);
  Row higher = shape("A-47.one", "latency with 1000 cells of buffer at rho 0.9, one a cell", "higher",
                     "higher", {loaded({single, 90}), changed(single, 90, false)});
  higher.standing = Standing::contradicted;
  higher.note = "Fewer losses mean fewer polls to wait for, which outweighs the time in the buffer.";
  higher.measure = [](const Laboratory& laboratory) {
    const Condition before = loaded({single, 90}), after = changed(single, 90, false);
    return found(latency(laboratory, after) > latency(laboratory, before),
                 told(laboratory, after) + " after " + told(laboratory, before));
  };
  experiment.rows.push_back(higher);

  Row same = shape("A-48.loss", "loss with T_POLL 1.5 s at rho 1.1, several a cell", "unchanged",
                   "within a fifth", {loaded({several, 110}), changed(several, 110, true)});
  same.measure = [](const Laboratory& laboratory) {
    const double before = loss(laboratory, loaded({several, 110}));
    const double after = loss(laboratory, changed(several, 110, true));
    return found(std::abs(after / before - 1) <= 0.2,
                 fmt::format("{:.3g} % after {:.3g} %", 100 * after, 100 * before));
  };
  experiment.rows.push_back(same);
  Row later = shape("A-48.latency", "what T_POLL 1.5 s adds to latency at rho 1.1",
                    "much more for one a cell", "both grow, one a cell more",
                    {loaded({several, 110}), changed(several, 110, true), loaded({single, 110}),
                     changed(single, 110, true)});
  later.measure = [](const Laboratory& laboratory) {
    const auto added = [&](const std::string& protocol) {
      return latency(laboratory, changed(protocol, 110, true)) - latency(laboratory, loaded({protocol, 110}));
    };
    return found(added(several) > 0 && added(single) > added(several),
                 fmt::format("{:.3g} s, several a cell {:.3g} s", added(single), added(several)));
  };
  experiment.rows.push_back(later);
}

}  // namespace morgana::atm_transport_paper
