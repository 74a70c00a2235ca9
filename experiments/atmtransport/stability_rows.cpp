#include <fmt/format.h>

#include <algorithm>

#include "experiments/atmtransport/rows.h"

namespace morgana::atm_transport_paper {

void add_stability(Experiment& experiment) {
  Row light = shape("A-40.light", "SSCOP up to rho 0.7", "finishes", "every run finishes",
                    {loaded({sscop, 40}), loaded({sscop, 70})});
  light.measure = [](const Laboratory& laboratory) {
    return found(
        all_finished(laboratory, loaded({sscop, 40})) && all_finished(laboratory, loaded({sscop, 70})),
        told(laboratory, loaded({sscop, 40})) + "; " + told(laboratory, loaded({sscop, 70})));
  };
  Row heavy = shape("A-40.heavy", "SSCOP at rho 1.1", "grows without bound", "no run finishes",
                    {loaded({sscop, 110})});
  heavy.note = "A run is unstable when a frame was sent again 50 times without success (transport.tries).";
  heavy.measure = [](const Laboratory& laboratory) {
    const auto outcomes = laboratory.outcomes(loaded({sscop, 110}));
    return found(
        std::none_of(outcomes.begin(), outcomes.end(), [](const RunOutcome& run) { return run.finished(); }),
        told(laboratory, loaded({sscop, 110})));
  };
  experiment.rows.push_back(light);
  experiment.rows.push_back(heavy);
  for (const std::string& protocol : {several, single}) {
    Row row =
        shape(fmt::format("A-41.{}", protocol == single ? "one" : "several"),
              fmt::format("{} at rho 0.4 to 1.5", protocol), "always finishes", "every run finishes", {});
    for (const int load : loads) row.needs.push_back(loaded({protocol, load}));
    row.measure = [protocol](const Laboratory& laboratory) {
      const bool all = std::all_of(std::begin(loads), std::end(loads), [&](int load) {
        return all_finished(laboratory, loaded({protocol, load}));
      });
      return found(all, "rho 1.5: " + told(laboratory, loaded({protocol, 150})));
    };
    experiment.rows.push_back(row);
  }
}

// What the thesis does not compare: switches that drop the rest of a packet, or whole packets.
void add_drop_policies(Experiment& experiment) {
  for (const std::string policy : {"ppd", "epd"}) {
    // At rho 1.1 EPD refuses POLLs, too, and the connection is released: a run has no end then.
    for (const int load : {70, 90}) {
      Row row{fmt::format("A-40.{}-{}", policy, load),
              fmt::format("SSCOP at rho {}, switches with {}", load / 100.0, policy == "ppd" ? "PPD" : "EPD"),
              "not given",
              "",
              RowKind::reference,
              no_rule(),
              Standing::informational};
      const Condition dropping = loaded({.platform = sscop, .load = load, .drop = policy});
      const Condition plain = loaded({sscop, load});
      row.needs = {dropping, plain};
      row.measure = [dropping, plain](const Laboratory& laboratory) {
        return found(false, told(laboratory, dropping) + "; drop-tail: " + told(laboratory, plain));
      };
      experiment.rows.push_back(row);
    }
  }
}

namespace {

/// Loss of the bursts' cells and of the background's, in per cent.
Measurement losses(const Laboratory& laboratory, const Condition& condition) {
  if (!all_finished(laboratory, condition)) return found(false, "unstable");
  Measurement measurement = measured(100 * loss(laboratory, condition));
  measurement.runs = laboratory.seeds();
  measurement.text = fmt::format("background: {:.3g} %", 100 * laboratory.mean(condition, "background_loss"));
  return measurement;
}

}  // namespace

void add_cells_and_loss(Experiment& experiment) {
  for (const int load : {110, 150}) {
    const double floor = 100 * (1 - 100.0 / load);
    // The thesis prints no loss. What all traffic loses together at least is no loss of the bursts alone.
    Row row{fmt::format("A-43.{}", load),
            fmt::format("loss at rho {}", load / 100.0),
            fmt::format("(1 - 1/rho: {:.3g})", floor),
            "%",
            RowKind::reference,
            no_rule(),
            Standing::informational};
    row.needs = {loaded({several, load})};
    row.measure = [load](const Laboratory& laboratory) {
      return losses(laboratory, loaded({several, load}));
    };
    experiment.rows.push_back(row);
    const Condition slow = loaded({.platform = several, .load = load, .controller = true});
    row.id = fmt::format("A-43.slow-{}", load);
    row.title += ", interfaces with 8.25 us a cell";
    row.needs = {slow};
    row.measure = [slow](const Laboratory& laboratory) { return losses(laboratory, slow); };
    experiment.rows.push_back(row);
  }
  const std::pair<std::string, int> cells[] = {{sscop, 171}, {several, 256}, {single, 1024}};
  for (const auto& [protocol, count] : cells) {
    Row row{fmt::format("A-44.{}", protocol == sscop    ? "sscop"
                                   : protocol == single ? "one"
                                                        : "several"),
            "cells of data for a message of 8192 bytes",
            fmt::format("({})", count),
            "cells",
            RowKind::deterministic,
            within(count, 0)};
    Condition condition = silent(protocol);
    condition.workload = one_message;
    row.needs = {condition};
    row.measure = [condition](const Laboratory& laboratory) {
      return measured(laboratory.mean(condition, "data_cells"));
    };
    experiment.rows.push_back(row);
  }
}

}  // namespace morgana::atm_transport_paper
