#include "experiments/atmtransport/atm_transport.h"

#include "experiments/atmtransport/programs.h"
#include "experiments/atmtransport/rows.h"

namespace morgana {

Experiment atm_transport() {
  using namespace atm_transport_paper;
  Experiment experiment;
  experiment.name = "atm-transport";
  experiment.title = "SSCOP and the parallel computing adaptation layer on a loaded ATM network";
  experiment.source =
      "J. Vila i Sallent: A Network Architecture for Supporting Parallel Computing over ATM, 1997, chapter 5";
  add_stability(experiment);
  add_drop_policies(experiment);
  add_cells_and_loss(experiment);
  add_latency(experiment);
  add_other_readings(experiment);
  add_changes(experiment);
  add_programs(experiment);
  add_confidence(experiment);
  add_figures(experiment);
  experiment.prepare = [](Laboratory& laboratory, const ExperimentOptions& options,
                          const std::set<std::string>& workloads, const auto& told) {
    const int rounds = options.quick ? 2 : 8;
    const auto ring = [](int times) {
      return [times](const Condition&, const Platform& platform, std::uint64_t seed) {
        return play_ring(platform, seed, times);
      };
    };
    laboratory.define(workload, ring(rounds));
    laboratory.define(long_workload, ring(8 * rounds));
    laboratory.define(one_message, [](const Condition&, const Platform& platform, std::uint64_t seed) {
      return play_one_message(platform, seed);
    });
    define_programs(laboratory, options, workloads, told);
  };
  return experiment;
}

}  // namespace morgana
