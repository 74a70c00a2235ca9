#include "experiments/pushpull/pushpull.h"

#include <algorithm>

#include "experiments/pushpull/programs.h"
#include "experiments/pushpull/rows.h"

namespace morgana {

Experiment push_pull_messaging() {
  using namespace push_pull_paper;
  Experiment experiment;
  experiment.name = "push-pull";
  experiment.title = "Messages between quad-processor nodes that are pushed in part and pulled for the rest";
  experiment.source =
      "K.-P. Wong, C.-L. Wang: Push-Pull Messaging: A High-Performance Communication Mechanism for Commodity "
      "SMP "
      "Clusters, 1999";
  experiment.runs_programs = false;
  add_between(experiment);
  add_searches(experiment);
  add_within(experiment);
  add_receivers(experiment);
  std::stable_sort(experiment.rows.begin(), experiment.rows.end(), [](const Row& a, const Row& b) {
    return a.id.substr(0, a.id.find('.')) < b.id.substr(0, b.id.find('.'));
  });
  add_figures(experiment);
  experiment.prepare = [](Laboratory& laboratory, const ExperimentOptions& options,
                          const std::set<std::string>& workloads,
                          const auto&) { define_tests(laboratory, options, workloads); };
  return experiment;
}

namespace push_pull_paper {

double value(const Laboratory& laboratory, const Condition& condition, int bytes) {
  return laboratory.mean(condition, figure_of(bytes));
}

std::vector<Sample> curve(const Laboratory& laboratory, const Test& test, const Condition& condition,
                          int most) {
  std::vector<Sample> samples;
  for (const int size : test.sizes)
    if (size <= most) samples.push_back({static_cast<double>(size), value(laboratory, condition, size)});
  return samples;
}

}  // namespace push_pull_paper
}  // namespace morgana
