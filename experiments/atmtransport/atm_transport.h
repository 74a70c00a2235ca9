#pragma once

#include "experiments/experiment.h"

namespace morgana {

/// Reliable protocols over ATM under load (chapter 5 of the thesis), rows.
Experiment atm_transport();

}  // namespace morgana
