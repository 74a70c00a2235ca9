#include "experiments/atm/atm_emulator.h"

#include "emulator/engine/engine.h"
#include "experiments/atm/kernels.h"
#include "experiments/atm/rows.h"

namespace morgana {

Experiment atm_emulator() {
  using namespace atm_paper;
  Experiment experiment;
  experiment.name = "atm-emulator";
  experiment.title = "Real programs on an emulated ATM network, and what slows them down";
  experiment.source =
      "J. Vila i Sallent: A Network Architecture for Supporting Parallel Computing over ATM, 1997, chapter 2 "
      "and "
      "appendices A and B";
  add_validation(experiment);
  add_traffic(experiment);
  add_environments(experiment);
  add_network(experiment);
  add_hosts(experiment);
  add_bursts(experiment);
  experiment.prepare = [](Laboratory& laboratory, const ExperimentOptions& options,
                          const std::set<std::string>& workloads, const auto& told) {
    define_echo(laboratory);
    define_bursts(laboratory);
    define_kernels(laboratory, options, workloads, told);
  };
  return experiment;
}

namespace atm_paper {

RunOutcome play(ScriptedRanks& ranks, const Platform& platform, std::uint64_t seed) {
  Machine machine = platform.build(ranks.ranks(), Placement(), seed);
  RunStatistics statistics(ranks.ranks());
  OperationObserver* const observers[] = {&statistics};
  Engine engine(machine, ranks, observers);
  engine.run();
  RunOutcome outcome{"finished", figures_of(statistics, engine, machine)};
  constexpr double us = 1e-6;
  outcome.figures["mean_latency_us"] = statistics.latency().summary().mean() / us;
  outcome.figures["total_us"] = statistics.simulated_time().seconds() / us;
  return outcome;
}

}  // namespace atm_paper
}  // namespace morgana
