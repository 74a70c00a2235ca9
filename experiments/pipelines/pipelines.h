#pragma once

#include "experiments/experiment.h"

namespace morgana {

/// The experiment that compares with a paper on the fragmentation of messages for communication pipelines
/// (Experiment::source names it). Its rows are P-01 to P-27.
Experiment pipelines();

}  // namespace morgana
