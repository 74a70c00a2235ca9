#pragma once

#include "benchmarks/kernels/common/kernel.h"

namespace morgana::kernels {

/// MG: V-cycles of multigrid for Poisson's equation in a periodic cube, with ten charges of +1 and ten of -1.
/// Workers own slabs of planes on every level; after each operation each worker gets the plane below and the
/// plane above its own. On levels with fewer planes than workers some own none, but get two all the same,
/// because the next finer level interpolates from them.
///
/// Sizes: points a side (a power of two), cycles. Verified by the published residual norm of classes S, W and
/// A; other sizes by the reduction of the residual.
///
/// Source: Bailey et al., The NAS Parallel Benchmarks, 1991, section 2.2.2.
const Kernel& mg();

}  // namespace morgana::kernels
