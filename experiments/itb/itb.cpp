#include "experiments/itb/itb.h"

#include "experiments/itb/rows.h"

namespace morgana {

Experiment itb() {
  using namespace itb_paper;
  const auto tasks = std::make_shared<PaperTasks>();
  Experiment experiment;
  experiment.name = "itb";
  experiment.title =
      "Myrinet networks with up*/down* routes and with in-transit buffers, under generated traffic";
  experiment.source =
      "J. Flich, P. Lopez, M. P. Malumbres, J. Duato: Boosting the Performance of Myrinet Networks, 2002";
  experiment.runs_programs = false;
  add_counts(experiment, *tasks);
  add_irregular(experiment, *tasks);
  add_regular(experiment, *tasks);
  add_hotspots(experiment, *tasks);
  add_buffers(experiment, *tasks);
  add_figures(experiment, *tasks);
  experiment.prepare = [tasks](Laboratory& laboratory, const ExperimentOptions& options,
                               const std::set<std::string>& workloads, const auto&) {
    Effort effort;
    if (options.quick) effort = {.messages = 10'000, .most_messages = 100'000};
    for (const std::string& name : workloads) {
      laboratory.define_own(name, [task = tasks->task(name), effort](std::uint64_t seed) {
        return RunOutcome{"finished", carry_out(task, effort, seed)};
      });
    }
  };
  return experiment;
}

}  // namespace morgana
