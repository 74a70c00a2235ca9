#pragma once

#include <string>
#include <utility>
#include <vector>

#include "emulator/core/time.h"

namespace morgana {

/// How often something has happened since a run's start, at the times at which it was sampled.
struct CounterHistory {
  std::string name;                                ///< "go-back-n: sent again"
  std::vector<std::pair<SimTime, double>> counts;  ///< wherever it has changed, and at the begin: 0
};

}  // namespace morgana
