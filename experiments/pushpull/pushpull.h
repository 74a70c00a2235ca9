#pragma once

#include "experiments/experiment.h"

namespace morgana {

/// Push-pull messaging between SMP nodes, rows.
Experiment push_pull_messaging();

}  // namespace morgana
