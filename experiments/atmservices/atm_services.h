#pragma once

#include "experiments/experiment.h"

namespace morgana {

/// Service categories for parallel computing over ATM (chapter 6 of the thesis), rows.
Experiment atm_services();

}  // namespace morgana
