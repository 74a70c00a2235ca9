#pragma once

#include "experiments/experiment.h"

namespace morgana {

/// The emulator of the ATM thesis (chapter 2, appendices A and B), rows.
Experiment atm_emulator();

}  // namespace morgana
