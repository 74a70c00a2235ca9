#pragma once

#include "benchmarks/kernels/common/kernel.h"

namespace morgana::kernels {

/// The kernel CG: computes the smallest eigenvalue of a sparse symmetric matrix with a random pattern, by
/// inverse iteration. Each step solves A z = x with a fixed number of conjugate gradient iterations. Each
/// worker owns a block of rows.
///
/// Its sizes, in this order: the matrix's order, the nonzeros of each vector that generates it, outer steps
/// (inverse iterations), inner iterations (conjugate gradient), shift. Classes S, W and A are verified
/// against the published eigenvalue estimate, other sizes by the residual of the last system.
///
/// Source: Bailey et al., The NAS Parallel Benchmarks, 1991, section 2.2.3.
const Kernel& cg();

}  // namespace morgana::kernels
