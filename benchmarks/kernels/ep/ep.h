#pragma once

#include "benchmarks/kernels/common/kernel.h"

namespace morgana::kernels {

/// EP: Gaussian deviates by the acceptance-rejection scheme from pairs of the NAS random numbers, counted in
/// square annuli. Workers take contiguous shares of the pairs; only the sums are combined, at the end.
///
/// Sizes: log2 of the pairs. Verified by the published sums of classes S, W and A; other sizes by the
/// acceptance rate and the sums' own statistics.
///
/// Source: Bailey et al., The NAS Parallel Benchmarks, 1991, section 2.2.1.
const Kernel& ep();

}  // namespace morgana::kernels
