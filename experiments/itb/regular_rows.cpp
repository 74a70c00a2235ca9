#include <fmt/format.h>

#include "experiments/itb/rows.h"

// Regular networks under uniform traffic: section 5.5.1, figures 12 to 15.
namespace morgana::itb_paper {
namespace {

const char* const unit = "flits/ns/switch";

void add_throughput(Experiment& experiment, PaperTasks& tasks, const std::string& id,
                    const std::string& network, double up_down, double in_transit, double factor,
                    Rule factor_rule, Standing standing) {
  const Condition condition = tasks.saturation(network);
  const auto add = [&](const std::string& part, Row row) {
    row.id = id + part;
    row.standing = standing;
    if (standing == Standing::informational)
      row.note = "the paper leaves open how the additional switches are cabled";
    experiment.rows.push_back(std::move(row));
  };
  constexpr double share = 0.2;
  const auto statistical = RowKind::statistical;
  add(".up-down",
      figure_row("", network + ", up*/down*: load at which latency has doubled", fmt::format("{}", up_down),
                 unit, statistical, within_share(up_down, share), condition, "up-down.knee"));
  add(".in-transit", figure_row("", network + ", in-transit: load at which latency has doubled",
                                fmt::format("{}", in_transit), unit, statistical,
                                within_share(in_transit, share), condition, "in-transit.knee"));
  Row gain = factor_row("", network + ": highest accepted traffic, in-transit to up*/down*",
                        fmt::format("{:.2f}", factor), std::move(factor_rule), condition);
  if (network == "express-torus")
    gain.note =
        "our up*/down* routes are balanced better than the paper's, of which only the aim is published";
  add(".factor", std::move(gain));
  for (const char* routes : {"up-down", "in-transit"}) {
    Row row = figure_row("", fmt::format("{}, {}: highest accepted traffic", network, routes), "-", unit,
                         statistical, no_rule(), condition, std::string(routes) + ".peak");
    row.id = fmt::format("{}.{}.peak", id, routes);
    row.standing = Standing::informational;
    experiment.rows.push_back(std::move(row));
  }
}

Condition at_load(PaperTasks& tasks, const std::string& network, const std::string& routes, double load) {
  return tasks.enter({.kind = PaperTask::Kind::load, .network = network, .routes = routes, .load = load});
}

void add_torus_links(Experiment& experiment, PaperTasks& tasks) {
  const auto statistical = RowKind::statistical;
  auto& rows = experiment.rows;
  const Condition legal = at_load(tasks, "torus", "up-down", 0.015);
  const Condition minimal = at_load(tasks, "torus", "in-transit", 0.015);
  const Condition saturated = at_load(tasks, "torus", "in-transit", 0.03);
  rows.push_back(figure_row("I-34", "torus at 0.015, up*/down*: busiest cable at the root", "50", "%",
                            statistical, between(35, 60), legal, "root", percent));
  rows.push_back(figure_row("I-35", "the same: cables below 10 %", "65", "%", statistical, between(45, 75),
                            legal, "below_10", percent));
  rows.push_back(figure_row("I-36", "torus at 0.015, in-transit: busiest cable", "< 12", "%", statistical,
                            below(12.5), minimal, "greatest", percent));
  rows.back().note =
      "how even it is depends on chance: of the minimal paths of a pair of switches one is drawn, for all "
      "its hosts";
  rows.push_back(figure_row("I-37.least", "torus at 0.03, in-transit: idlest cable", "14", "%", statistical,
                            at_least(12), saturated, "least", percent));
  rows.back().note = experiment.rows[experiment.rows.size() - 2].note;
  rows.push_back(figure_row("I-37.greatest", "the same: busiest cable", "29", "%", statistical, at_most(32),
                            saturated, "greatest", percent));
}

void add_express_links(Experiment& experiment, PaperTasks& tasks) {
  const auto statistical = RowKind::statistical;
  auto& rows = experiment.rows;
  const Condition legal = at_load(tasks, "express-torus", "up-down", 0.07);
  const Condition minimal = at_load(tasks, "express-torus", "in-transit", 0.07);
  rows.push_back(figure_row("I-38", "express torus at 0.07, up*/down*: busiest cable at the root", "50", "%",
                            statistical, between(40, 65), legal, "root", percent));
  rows.push_back(figure_row("I-39.greatest", "express torus at 0.07, in-transit: busiest cable", "< 30", "%",
                            statistical, below(30), minimal, "greatest", percent));
  rows.push_back(figure_row("I-39.express", "the same: express cables, mean", "25", "%", statistical,
                            between(14, 28), minimal, "express", percent));
  rows.push_back(figure_row("I-39.others", "the same: other cables, mean", "10", "%", statistical,
                            between(8, 14), minimal, "others", percent));
  Row row{"I-39.order",   "express cables are used more than others",
          "yes",          "",
          RowKind::shape, as_worded("express > others")};
  row.needs = {minimal};
  row.measure = [minimal](const Laboratory& laboratory) {
    const double express = laboratory.mean(minimal, "express"), others = laboratory.mean(minimal, "others");
    return found(express > others, fmt::format("{:.1f} and {:.1f} %", percent * express, percent * others));
  };
  rows.push_back(std::move(row));
}

}  // namespace

void add_regular(Experiment& experiment, PaperTasks& tasks) {
  add_throughput(experiment, tasks, "I-30", "torus", 0.015, 0.03, 2.0, between(1.6, 2.4), Standing::judged);
  add_throughput(experiment, tasks, "I-31", "express-torus", 0.07, 0.12, 1.71, between(1.5, 2.0),
                 Standing::judged);
  add_throughput(experiment, tasks, "I-32", "cplant", 0.05, 0.082, 1.64, within_share(1.64, 0.2),
                 Standing::informational);
  const Condition torus = tasks.saturation("torus"), express = tasks.saturation("express-torus");
  experiment.rows.push_back(quotient_row("I-33.up-down",
                                         "express torus to torus, up*/down*: load of doubled latency", "4.6",
                                         within_share(4.6, 0.2), express, torus, "up-down.knee"));
  experiment.rows.push_back(quotient_row("I-33.in-transit", "the same, in-transit", "4", within_share(4, 0.2),
                                         express, torus, "in-transit.knee"));
  add_torus_links(experiment, tasks);
  add_express_links(experiment, tasks);
}

}  // namespace morgana::itb_paper
