#pragma once

#include "experiments/experiment.h"

namespace morgana {

/// Published tables of the OSU micro-benchmarks on InfiniBand, rows IB-01 to IB-11.
Experiment infiniband();

}  // namespace morgana
