#pragma once

#include <map>
#include <string>
#include <vector>

#include "experiments/experiment.h"
#include "experiments/modern/loaded_networks.h"

namespace morgana::modern_papers {

/// What rows ask for, by the names of their workloads.
class Loads {
 public:
  Condition enter(LoadedNetwork network, std::uint64_t packets);
  const std::map<std::string, LoadedNetwork>& all() const { return loads_; }

 private:
  std::map<std::string, LoadedNetwork> loads_;
};

/// A row about one figure under one condition.
Row figure_row(std::string id, std::string title, std::string paper, std::string unit, Rule rule,
               const Condition& condition, std::string figure);

std::vector<Row> dragonfly_rows(Loads& loads);
std::vector<Row> flattened_butterfly_rows(Loads& loads);
std::vector<Row> congestion_rows();

/// The workload of DctcpQueue and of DcqcnShares with so many flows.
Condition dctcp_with(unsigned flows);
Condition dcqcn_with(unsigned flows);

}  // namespace morgana::modern_papers
