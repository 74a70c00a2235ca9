#pragma once

#include "experiments/experiment.h"

namespace morgana {

/// In-transit buffers in Myrinet networks, rows I-01 to I-54.
Experiment itb();

}  // namespace morgana
