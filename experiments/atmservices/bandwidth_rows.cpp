#include <fmt/format.h>

#include <cmath>

#include "experiments/atmservices/paper.h"
#include "experiments/atmservices/rows.h"

namespace morgana::atm_services_paper {
namespace {

// The switches tell ABR its rate in one cell of 32, so that 31 are data.
void add_quotient(Experiment& experiment, const Bandwidth& printed) {
  const std::string program(printed.program);
  Row row{fmt::format("A-60.{}-{}", program, printed.load),
          fmt::format("what {} carries over ABR only, by UBR only, at rho {}", printed_name(program),
                      printed.load / 100.0),
          fmt::format("{:.4f}", printed.abr_only / printed.ubr_only),
          "",
          RowKind::deterministic,
          within_share(printed.abr_only / printed.ubr_only, 0.003)};
  const Condition abr = loaded({program, Service::abr, printed.load});
  const Condition ubr = loaded({program, Service::ubr, printed.load});
  row.needs = {abr, ubr};
  row.measure = [abr, ubr](const Laboratory& laboratory) {
    return measured(laboratory.mean(abr, "abr_kbps") / laboratory.mean(ubr, "ubr_kbps"));
  };
  experiment.rows.push_back(row);
}

void add_sum(Experiment& experiment, const Bandwidth& printed, const std::string& engine,
             const EceBandwidth& bandwidth) {
  Row row{fmt::format("A-61.{}-{}-{}", printed.program, printed.load, engine),
          fmt::format("Table 6.{}: UBR and ABR of the {} ECE, added up", printed.program == "pde1" ? 5 : 6,
                      engine),
          fmt::format("{}", bandwidth.total),
          "kb/s",
          RowKind::reference,
          no_rule(),
          Standing::informational};
  // Arithmetic of the paper's, with nothing measured here.
  row.measure = [bandwidth](const Laboratory&) { return measured(bandwidth.ubr + bandwidth.abr); };
  if (std::abs(bandwidth.ubr + bandwidth.abr - bandwidth.total) > 0.05)
    row.note = "The table's own figures don't add up.";
  experiment.rows.push_back(row);
}

}  // namespace

void add_bandwidth(Experiment& experiment) {
  for (const Bandwidth& printed : bandwidths) add_quotient(experiment, printed);
  for (const Bandwidth& printed : bandwidths) {
    add_sum(experiment, printed, "switching", printed.switching);
    add_sum(experiment, printed, "duplicating", printed.duplicating);
  }
  // What the task sends is Table A.1's bytes in Table 2.2's time, so that this tells whether cells hold as
  // much as the thesis's did.
  const Bandwidth& printed = bandwidths[0];
  Row rate{"A-76",
           "what PDE1 carries over UBR only at rho 0.7",
           fmt::format("{}", printed.ubr_only),
           "kb/s",
           RowKind::deterministic,
           within_share(printed.ubr_only, 0.15)};
  const Condition ubr = loaded({"pde1", Service::ubr, printed.load});
  rate.needs = {ubr};
  rate.measure = [ubr](const Laboratory& laboratory) {
    return measured(laboratory.interval(ubr, "ubr_kbps"), laboratory.seeds());
  };
  experiment.rows.push_back(rate);
}

void add_confidence(Experiment& experiment) {
  for (const Radius& printed : radii) {
    const std::string program(printed.program);
    for (const auto& [service, radius] :
         {std::pair{Service::ubr, printed.ubr_only}, std::pair{Service::abr, printed.abr_only},
          std::pair{Service::duplicating, printed.duplicating}}) {
      const Condition condition = loaded({program, service, 80});
      Row row{fmt::format("A-75.{}-{}", program, word_of(service)),
              fmt::format("radius of the 90 % interval of the latency of {}'s cells over {} at rho 0.8",
                          printed_name(program), to_text(service)),
              fmt::format("{}", radius),
              "%",
              RowKind::statistical,
              at_most(20)};
      row.needs = {condition};
      row.measure = [condition](const Laboratory& laboratory) {
        const ConfidenceInterval interval = laboratory.interval(condition, "cell_latency_s");
        Measurement measurement = measured(100 * interval.radius / interval.mean);
        measurement.runs = laboratory.seeds();
        return measurement;
      };
      experiment.rows.push_back(row);
    }
  }
}

}  // namespace morgana::atm_services_paper
