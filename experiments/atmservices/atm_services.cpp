#include "experiments/atmservices/atm_services.h"

#include "experiments/atmservices/rows.h"

namespace morgana {

Experiment atm_services() {
  using namespace atm_services_paper;
  Experiment experiment;
  experiment.name = "atm-services";
  experiment.title = "One task's traffic over UBR, ABR and both, by latency";
  experiment.source =
      "J. Vila i Sallent: A Network Architecture for Supporting Parallel Computing over ATM, 1997, chapter 6";
  experiment.runs_programs = false;
  add_bandwidth(experiment);
  add_engine_bandwidth(experiment);
  add_use(experiment);
  add_latency(experiment);
  add_rates(experiment);
  add_fair_shares(experiment);
  add_confidence(experiment);
  add_load_figures(experiment);
  experiment.prepare = [](Laboratory& laboratory, const ExperimentOptions& options, const auto&,
                          const auto&) {
    const double seconds = options.quick ? 5 : 40;
    laboratory.define("pde1",
                      [seconds](const Condition& condition, const Platform& platform, std::uint64_t seed) {
                        return play_pde1(condition, platform, seed, seconds);
                      });
    laboratory.define("pde2",
                      [seconds](const Condition& condition, const Platform& platform, std::uint64_t seed) {
                        return play_pde2(condition, platform, seed, seconds);
                      });
    laboratory.define(greedy, [](const Condition&, const Platform& platform, std::uint64_t seed) {
      return play_greedy(platform, seed, 2);
    });
  };
  return experiment;
}

}  // namespace morgana
