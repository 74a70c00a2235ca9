#include "experiments/pipelines/pipelines.h"

#include <fmt/format.h>

#include "experiments/pipelines/rows.h"

namespace morgana {

namespace pipelines_paper {

Row theory_row(const std::string& id, const std::string& title, const std::string& paper,
               const std::string& unit, Rule rule, const std::function<Measurement()>& measure) {
  Row row{id, title, paper, unit, RowKind::deterministic, std::move(rule)};
  row.measure = [measure](const Laboratory&) { return measure(); };
  return row;
}

Row theory_row(const std::string& id, const std::string& title, const std::string& paper,
               const std::string& unit, Rule rule, const std::function<double()>& value) {
  return theory_row(id, title, paper, unit, std::move(rule),
                    std::function<Measurement()>([value] { return measured(value()); }));
}

Row calculated(Row row) {
  row.paper = "(" + row.paper + ")";
  row.note = "not printed: what follows from the paper's parameters and equations";
  return row;
}

std::string number(double value) {
  return fmt::format("{:g}", value);
}

}  // namespace pipelines_paper

Experiment pipelines() {
  using namespace pipelines_paper;
  Experiment experiment;
  experiment.name = "pipelines";
  experiment.title =
      "Fragments of messages through pipelines of store-and-forward stages, by theory and on the emulated "
      "GAM";
  experiment.source =
      "R. Y. Wang, A. Krishnamurthy, R. P. Martin, T. E. Anderson, D. E. Culler: Towards a Theory of Optimal "
      "Communication Pipelines, 1998";
  experiment.runs_programs = false;
  add_equal(experiment);
  add_optimum(experiment);
  add_gms(experiment);
  add_disk(experiment);
  add_static_sizes(experiment);
  add_figures(experiment);
  experiment.prepare = [](Laboratory&, const ExperimentOptions&, const std::set<std::string>&, const auto&) {
  };  // nothing is run
  return experiment;
}

}  // namespace morgana
