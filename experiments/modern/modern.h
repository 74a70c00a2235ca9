#pragma once

#include "experiments/experiment.h"

namespace morgana {

/// What papers on the networks of today say of routes and congestion: dragonflies and flattened butterflies,
/// DCTCP's queue, DCQCN's shares. Rows follow the papers' words; curves of their figures are not read.
Experiment modern();

}  // namespace morgana
