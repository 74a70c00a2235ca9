#pragma once

#include "benchmarks/kernels/common/kernel.h"

namespace morgana::kernels {

/// IS: integer keys are ranked several times. Workers own shares of the keys; in each ranking they tell each
/// other how many keys fall into each bucket, agree on ranges of values, and send every key to the owner of
/// its range, in messages of a limited length; a worker's own keys take the same way.
///
/// Sizes: log2 of the keys, log2 of the range of values, rankings. Verified by the published ranks of classes
/// S, W and A in every ranking; always by sorting the keys by their ranks at the end.
///
/// Source: Bailey et al., The NAS Parallel Benchmarks, 1991, section 2.2.5.
const Kernel& is();

}  // namespace morgana::kernels
