#include <fmt/format.h>

#include <algorithm>

#include "experiments/atmtransport/programs.h"
#include "experiments/atmtransport/rows.h"

namespace morgana::atm_transport_paper {
namespace {

Condition at(const std::string& name, int load) {
  return program(name, {several, load});
}

std::vector<Condition> at_all_loads(const std::string& name) {
  std::vector<Condition> conditions;
  for (const int load : loads) conditions.push_back(at(name, load));
  return conditions;
}

/// By how much of its latency's growth from the least load to the greatest a program's time grows.
double tie_to_latency(const Laboratory& laboratory, const std::string& name) {
  const auto growth = [&](const std::string& figure) {
    return laboratory.mean(at(name, 150), figure) / laboratory.mean(at(name, 40), figure) - 1;
  };
  return growth("total_s") / growth("latency_s");
}

void add_finish(Experiment& experiment, const std::string& name) {
  Row row = shape("A-49.finish-" + name, name + " over PC-AAL, several a cell, rho 0.4 to 1.5",
                  "latency stays stable", "every run finishes", at_all_loads(name));
  row.measure = [name](const Laboratory& laboratory) {
    const bool all = std::all_of(std::begin(loads), std::end(loads),
                                 [&](int load) { return all_finished(laboratory, at(name, load)); });
    return found(all,
                 "rho 0.4: " + told(laboratory, at(name, 40)) + ", 1.5: " + told(laboratory, at(name, 150)));
  };
  experiment.rows.push_back(row);
}

void add_tracking(Experiment& experiment, const std::string& name) {
  Row row = shape("A-49.latency-" + name, name + ": latency and loss over rho", "very close",
                  "both rise with each load", at_all_loads(name));
  row.measure = [name](const Laboratory& laboratory) {
    bool holds = true;
    std::string text;
    for (std::size_t i = 0; i < std::size(loads); ++i) {
      const Condition here = at(name, loads[i]);
      if (i > 0) {
        const Condition before = at(name, loads[i - 1]);
        holds = holds && latency(laboratory, here) > latency(laboratory, before) &&
                loss(laboratory, here) > loss(laboratory, before);
      }
      text += fmt::format("{}{:.3g} s at {:.3g} %", i == 0 ? "" : ", ", latency(laboratory, here),
                          100 * loss(laboratory, here));
    }
    return found(holds, text);
  };
  experiment.rows.push_back(row);
}

void add_order(Experiment& experiment) {
  Row row = shape("A-49.order", "growth of run time over that of latency, rho 0.4 to 1.5",
                  "PDE1 > SOLVER > PDE2", "in this order", {});
  for (const std::string& name : programs)
    for (const int load : {40, 150}) row.needs.push_back(at(name, load));
  row.measure = [](const Laboratory& laboratory) {
    std::vector<double> ties;
    std::string text;
    for (const std::string& name : programs) {
      ties.push_back(tie_to_latency(laboratory, name));
      text += fmt::format("{}{} {:.3g}", text.empty() ? "" : ", ", name, ties.back());
    }
    return found(ties[0] > ties[1] && ties[1] > ties[2], text);
  };
  experiment.rows.push_back(row);
}

}  // namespace

void add_programs(Experiment& experiment) {
  for (const std::string& name : programs) {
    add_finish(experiment, name);
    add_tracking(experiment, name);
  }
  add_order(experiment);
}

}  // namespace morgana::atm_transport_paper
