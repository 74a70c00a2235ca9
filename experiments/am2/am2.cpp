#include "experiments/am2/am2.h"

#include "experiments/am2/rows.h"

namespace morgana {

Experiment active_messages() {
  using namespace am2_paper;
  Experiment experiment;
  experiment.name = "am2";
  experiment.title = "Active Messages II: what its firmware's reliable channels cost, alone and under load";
  experiment.source =
      "B. N. Chun, A. M. Mainwaring, D. E. Culler: Virtual Network Transport Protocols for Myrinet, 1997";
  experiment.runs_programs = false;
  add_logp(experiment);
  add_bandwidth(experiment);
  add_cluster(experiment);
  add_virtual_networks(experiment);
  add_figures(experiment);
  experiment.prepare = [](Laboratory& laboratory, const ExperimentOptions& options,
                          const std::set<std::string>& workloads, const auto&) {
    define_programs(laboratory);
    define_live_programs(laboratory, options, workloads);
  };
  return experiment;
}

namespace am2_paper {

Row row(std::string id, std::string title, std::string paper, std::string unit, RowKind kind, Rule rule,
        std::vector<Condition> needs, std::function<Measurement(const Laboratory&)> measure) {
  Row one{std::move(id), std::move(title), std::move(paper), std::move(unit), kind, std::move(rule)};
  one.needs = std::move(needs);
  one.measure = std::move(measure);
  return one;
}

Row fitted(Row row, std::string note) {
  row.standing = Standing::fitted;
  row.note = std::move(note);
  return row;
}

Row contradicted(Row row, std::string note) {
  row.standing = Standing::contradicted;
  row.note = std::move(note);
  return row;
}

const std::vector<int>& client_numbers() {
  static const std::vector<int> all{1, 2, 3, 4, 5, 6, 7, 14, 28, 46, 92};
  return all;
}

}  // namespace am2_paper
}  // namespace morgana
