#pragma once

#include "experiments/experiment.h"

namespace morgana {

/// What the Ultra Ethernet Consortium's simulator comes with, on the same networks and traffic.
Experiment ultra_ethernet();

}  // namespace morgana
