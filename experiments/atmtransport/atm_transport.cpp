#include "experiments/atmtransport/atm_transport.h"

#include <fmt/format.h>

#include "experiments/atmtransport/rows.h"

namespace morgana {
namespace atm_transport_paper {
namespace {

void add_confidence(Experiment& experiment) {
  struct Printed {
    std::string id, protocol, paper;
    int load;
  };
  for (const Printed& printed :
       {Printed{"A-50.sscop", sscop, "7.60", 70}, Printed{"A-50.one", single, "5.16", 110},
        Printed{"A-50.several", several, "12.30", 110}}) {
    Row row{printed.id,
            fmt::format("radius of the latency's 90 % interval at rho {}", printed.load / 100.0),
            printed.paper,
            "%",
            RowKind::statistical,
            at_most(15)};
    const Condition condition = loaded({printed.protocol, printed.load});
    row.needs = {condition};
    row.note = "Of ten runs; Table 5.7 does not say at which rho.";
    row.measure = [condition](const Laboratory& laboratory) {
      const ConfidenceInterval interval = laboratory.interval(condition, "latency_s");
      Measurement measurement = measured(100 * interval.radius / interval.mean);
      measurement.runs = laboratory.seeds();
      return measurement;
    };
    experiment.rows.push_back(row);
  }
}

void add_figure(Experiment& experiment, const std::string& name, int buffer, int poll_ms) {
  ExperimentFigure figure{name, {}, {}};
  const auto at = [=](const std::string& protocol, int load) {
    return loaded({protocol, load, buffer, poll_ms});
  };
  // SSCOP's latency beyond rho 0.9 is not finite.
  const auto shown = [](const std::string& protocol, int load) { return protocol != sscop || load <= 90; };
  for (const std::string& protocol : {sscop, single, several})
    for (const int load : loads)
      if (shown(protocol, load)) figure.needs.push_back(at(protocol, load));
  figure.draw = [=](const Laboratory& laboratory) {
    Curves curves{fmt::format("PDE1's bursts, {} cells of buffer, T_POLL {} s", buffer, poll_ms / 1000.0),
                  "rho",
                  "mean latency of a message (s)",
                  false,
                  true,
                  {},
                  {}};
    for (const std::string& protocol : {sscop, single, several}) {
      Curve curve{protocol, {}};
      for (const int load : loads) {
        if (!shown(protocol, load) || !all_finished(laboratory, at(protocol, load))) continue;
        const ConfidenceInterval interval = laboratory.interval(at(protocol, load), "latency_s");
        curve.points.push_back({load / 100.0, interval.mean, interval.radius});
      }
      curves.curves.push_back(std::move(curve));
    }
    return curves;
  };
  experiment.figures.push_back(std::move(figure));
}

}  // namespace
}  // namespace atm_transport_paper

Experiment atm_transport() {
  using namespace atm_transport_paper;
  Experiment experiment;
  experiment.name = "atm-transport";
  experiment.title = "SSCOP and the parallel computing adaptation layer on a loaded ATM network";
  experiment.source =
      "J. Vila i Sallent: A Network Architecture for Supporting Parallel Computing over ATM, 1997, chapter 5";
  experiment.runs_programs = false;
  add_stability(experiment);
  add_cells_and_loss(experiment);
  add_latency(experiment);
  add_other_reading(experiment);
  add_changes(experiment);
  add_confidence(experiment);
  add_figure(experiment, "figure-5.13", 200, 500);
  add_figure(experiment, "figure-5.15", 1000, 500);
  add_figure(experiment, "figure-5.16", 200, 1500);
  experiment.prepare = [](Laboratory& laboratory, const ExperimentOptions& options, const auto&,
                          const auto&) {
    const int rounds = options.quick ? 3 : 8;
    laboratory.define(workload, [rounds](const Condition&, const Platform& platform, std::uint64_t seed) {
      return play_ring(platform, seed, rounds);
    });
    laboratory.define(one_message, [](const Condition&, const Platform& platform, std::uint64_t seed) {
      return play_one_message(platform, seed);
    });
  };
  return experiment;
}

}  // namespace morgana
