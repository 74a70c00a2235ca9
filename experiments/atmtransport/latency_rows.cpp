#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <span>
#include <string>
#include <tuple>

#include "experiments/atmtransport/rows.h"

namespace morgana::atm_transport_paper {
namespace {

constexpr int loads_of_sscop[] = {40, 50, 70, 80, 90};  // of Table 5.4; beyond, its latency is not finite

/// Of a claim for every load: whether it holds, what was found at each, and where it does not hold.
Measurement at_every_load(std::span<const int> loads,
                          const std::function<bool(int load, std::string& text)>& holds) {
  bool all = true;
  std::string told_of_all;
  for (const int load : loads) {
    std::string text;
    const bool here = holds(load, text);
    all = all && here;
    told_of_all += fmt::format("{}rho {}: {}{}", told_of_all.empty() ? "" : "; ", load / 100.0, text,
                               here ? "" : " (not so)");
  }
  return found(all, told_of_all);
}

}  // namespace

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

  // "both latency and execution time are substantially longer": at every load of Table 5.4.
  for (const auto& [part, what, figure] :
       {std::tuple{"forms", "latency", "latency_s"}, std::tuple{"forms-time", "run time", "total_s"}}) {
    Row order = shape(fmt::format("A-46.{}", part), fmt::format("{} at every rho of Table 5.4", what),
                      "several < one a cell", "in this order", {});
    for (const int load : loads_of_table)
      for (const std::string& protocol : {several, single}) order.needs.push_back(loaded({protocol, load}));
    order.measure = [figure = std::string(figure)](const Laboratory& laboratory) {
      return at_every_load(loads_of_table, [&](int load, std::string& text) {
        const Condition few = loaded({several, load}), many = loaded({single, load});
        if (!all_finished(laboratory, few) || !all_finished(laboratory, many)) return false;
        const double first = laboratory.mean(few, figure), second = laboratory.mean(many, figure);
        text = fmt::format("{:.3g} < {:.3g} s", first, second);
        return first < second;
      });
    };
    experiment.rows.push_back(order);
  }
  // "both encapsulation schemes achieve better performance than standard SSCOP, specially when the background
  // load begins to grow": at every load at which SSCOP's latency is finite.
  for (const std::string& protocol : {several, single}) {
    Row row = shape(fmt::format("A-46.{}", protocol == single ? "one" : "several"),
                    "latency below SSCOP's, at every rho of Table 5.4 up to 0.9", "lower",
                    "lower, or SSCOP is unstable", {});
    for (const int load : loads_of_sscop) {
      row.needs.push_back(loaded({protocol, load}));
      row.needs.push_back(loaded({sscop, load}));
    }
    row.measure = [protocol](const Laboratory& laboratory) {
      return at_every_load(loads_of_sscop, [&](int load, std::string& text) {
        const Condition ours = loaded({protocol, load}), other = loaded({sscop, load});
        text = told(laboratory, ours) + ", SSCOP: " + told(laboratory, other);
        return all_finished(laboratory, ours) &&
               (!all_finished(laboratory, other) || latency(laboratory, ours) < latency(laboratory, other));
      });
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
  Row unchanged =
      shape("A-47.several", "latency with 1000 cells of buffer at rho 0.9, several a cell",
            "effects not noticeable", "within 15 %", {loaded({several, 90}), changed(several, 90, false)});
  unchanged.measure = [](const Laboratory& laboratory) {
    const Condition before = loaded({several, 90}), after = changed(several, 90, false);
    return found(std::abs(latency(laboratory, after) / latency(laboratory, before) - 1) <= 0.15,
                 told(laboratory, after) + " after " + told(laboratory, before));
  };
  experiment.rows.push_back(unchanged);

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
  Row frames = shape("A-48.sscop", "SSCOP's latency with T_POLL 1.5 s at rho 0.7", "higher", "higher",
                     {loaded({sscop, 70}), changed(sscop, 70, true)});
  frames.measure = [](const Laboratory& laboratory) {
    const Condition before = loaded({sscop, 70}), after = changed(sscop, 70, true);
    return found(all_finished(laboratory, before) && all_finished(laboratory, after) &&
                     latency(laboratory, after) > latency(laboratory, before),
                 told(laboratory, after) + " after " + told(laboratory, before));
  };
  experiment.rows.push_back(frames);
}

}  // namespace morgana::atm_transport_paper
