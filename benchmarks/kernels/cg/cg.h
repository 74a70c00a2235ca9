#pragma once

#include "benchmarks/kernels/common/kernel.h"

namespace morgana::kernels {

/// CG: the smallest eigenvalue of a sparse symmetric matrix with a random pattern, by inverse iteration; each
/// step solves A z = x with a fixed number of conjugate gradient iterations. Workers own blocks of rows.
///
/// Sizes: order, nonzeros of each generating vector, outer steps, inner iterations, shift. Verified by the
/// published eigenvalue estimate of classes S, W and A; other sizes by the residual of the last system.
///
/// Source: Bailey et al., The NAS Parallel Benchmarks, 1991, section 2.2.3.
const Kernel& cg();

}  // namespace morgana::kernels
