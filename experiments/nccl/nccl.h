#pragma once

#include "experiments/experiment.h"

namespace morgana {

/// nccl-tests on 8 A100 GPUs of one node: the all-reduce that dgx-a100 was fitted to, and what follows from
/// the same parameters; and ring against tree on 8 nodes of 8 GPUs.
Experiment nccl_a100();

}  // namespace morgana
