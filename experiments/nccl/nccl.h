#pragma once

#include "experiments/experiment.h"

namespace morgana {

/// nccl-tests on 8 A100 GPUs of one node: the all-reduce that dgx-a100 was fitted to, and what follows from
/// the same parameters; and ring against tree on 8 nodes of 8 GPUs.
Experiment nccl_a100();
/// What NVIDIA's engineers and users of nccl-tests say of all-reduces on H100, with NVLink SHARP and without.
Experiment nccl_h100();

}  // namespace morgana
