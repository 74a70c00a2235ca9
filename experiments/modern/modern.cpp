#include "experiments/modern/modern.h"

#include <set>
#include <string>
#include <utility>
#include <vector>

#include "experiments/modern/dcqcn_shares.h"
#include "experiments/modern/dctcp_queue.h"
#include "experiments/modern/loaded_networks.h"
#include "experiments/modern/rows.h"

namespace morgana {
namespace {

using namespace modern_papers;

RunOutcome queue_of(unsigned flows) {
  const DctcpQueue queue = dctcp_queue(flows);
  RunOutcome outcome;
  outcome.figures["least"] = queue.least;
  outcome.figures["most"] = queue.most;
  outcome.figures["busy"] = queue.busy;
  return outcome;
}

RunOutcome shares_of(unsigned flows) {
  constexpr double milli = 1e3;
  const DcqcnShares shares = dcqcn_shares(flows);
  RunOutcome outcome;
  outcome.figures["least"] = shares.least;
  outcome.figures["most"] = shares.most;
  outcome.figures["used"] = shares.used;
  outcome.figures["fairness"] = shares.fairness;
  outcome.figures["settled"] = shares.settled.seconds() * milli;
  return outcome;
}

}  // namespace

Experiment modern() {
  Experiment experiment;
  experiment.name = "modern";
  experiment.title =
      "Routes and congestion control of today's networks: what their papers say in words and models";
  experiment.source =
      "Kim, Dally, Scott and Abts, ISCA 2008 (DF: dragonfly); Kim, Dally and Abts, ISCA 2007 (FB: flattened "
      "butterfly); Alizadeh et al., SIGCOMM 2010 (DT: DCTCP); Zhu et al., SIGCOMM 2015 (DQ: DCQCN)";
  experiment.runs_programs = false;
  Loads loads;
  for (std::vector<Row> rows : {dragonfly_rows(loads), flattened_butterfly_rows(loads), congestion_rows()})
    for (Row& row : rows) experiment.rows.push_back(std::move(row));
  experiment.prepare = [networks = loads.all()](Laboratory& laboratory, const ExperimentOptions&,
                                                const std::set<std::string>& workloads, const auto&) {
    for (const auto& [name, network] : networks)
      if (workloads.contains(name))
        laboratory.define_own(name,
                              [network = network](std::uint64_t seed) { return under_load(network, seed); });
    for (const unsigned flows : {2U, 10U, 40U})
      laboratory.define_own(dctcp_with(flows).workload, [flows](std::uint64_t) { return queue_of(flows); });
    for (const unsigned flows : {2U, 8U})
      laboratory.define_own(dcqcn_with(flows).workload, [flows](std::uint64_t) { return shares_of(flows); });
  };
  return experiment;
}

}  // namespace morgana
