#pragma once

#include "experiments/experiment.h"

namespace morgana {

/// Fragmentation for communication pipelines, rows P-01 to P-27.
Experiment pipelines();

}  // namespace morgana
