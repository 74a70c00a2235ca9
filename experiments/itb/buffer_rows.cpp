#include <fmt/format.h>

#include <algorithm>

#include "experiments/itb/rows.h"

// In-transit buffers and their first implementation: sections 5.4.3 and 6.1 (implementation_rows.cpp).
namespace morgana::itb_paper {

Condition two_million_packets(PaperTasks& tasks, double load, bool one_routing_unit, bool of_the_knee) {
  constexpr std::uint64_t two_million = 2'000'000;
  return tasks.enter({.kind = PaperTask::Kind::load,
                      .network = "irregular:32",
                      .length = 32,
                      .routes = "in-transit",
                      .load = load,
                      .of_the_knee = of_the_knee,
                      .messages = two_million,
                      .one_routing_unit = one_routing_unit});
}

namespace {

// "reaching saturation" at 0.034 flits/ns/switch and "beyond saturation" at 0.039: our networks saturate
// elsewhere, and what fills buffers is how near saturation is.
constexpr double reaching = 1, beyond = 0.039 / 0.034;

Row most_packets(PaperTasks& tasks, const std::string& id, double load, const std::string& paper, Rule rule,
                 bool one_routing_unit, bool of_the_knee) {
  const Condition condition = two_million_packets(tasks, load, one_routing_unit, of_the_knee);
  Row row{id,
          fmt::format("32 switches, 32 B, {:.3g} {}: most in-transit packets at an interface{}", load,
                      of_the_knee ? "of the load at which latency has doubled" : "flits/ns/switch",
                      one_routing_unit ? ", one routing unit a switch" : ""),
          paper,
          "packets",
          RowKind::statistical,
          std::move(rule)};
  row.needs = {condition};
  row.note = "2,000,000 packets for each network; 100,000 with --quick";
  if (!of_the_knee) row.standing = Standing::informational;
  if (one_routing_unit) {
    row.note += "; where a switch routes one header at a time, these loads are near and beyond saturation";
  }
  row.measure = [condition](const Laboratory& laboratory) {
    const std::vector<double> values = laboratory.values(condition, "most_packets");
    Measurement most = measured(*std::max_element(values.begin(), values.end()));
    most.runs = values.size();
    most.text = fmt::format("accepted {:.3g} of {:.3g} flits/ns/switch, {:.3g} overflows in the mean",
                            laboratory.mean(condition, "accepted"), laboratory.mean(condition, "load"),
                            laboratory.mean(condition, "overflows"));
    return most;
  };
  return row;
}

}  // namespace

void add_buffers(Experiment& experiment, PaperTasks& tasks) {
  auto& rows = experiment.rows;
  rows.push_back(most_packets(tasks, "I-50", reaching, "15", at_most(40), false, true));
  rows.push_back(most_packets(tasks, "I-50.same-load", 0.034, "15", no_rule(), false, false));
  rows.push_back(most_packets(tasks, "I-50.one-unit", 0.034, "15", no_rule(), true, false));
  rows.push_back(most_packets(tasks, "I-51", beyond, "< 3000", below(3000), false, true));
  rows.push_back(most_packets(tasks, "I-51.same-load", 0.039, "< 3000", no_rule(), false, false));
  rows.push_back(most_packets(tasks, "I-51.one-unit", 0.039, "< 3000", no_rule(), true, false));
  add_implementation(experiment, tasks);
  rows.push_back(figure_row("I-54", "an in-transit host, simulated", "475", "ns", RowKind::deterministic,
                            within(475, 0), tasks.enter({.kind = PaperTask::Kind::delay}, false), "ns"));
}

}  // namespace morgana::itb_paper
