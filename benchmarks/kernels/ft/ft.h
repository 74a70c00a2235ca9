#pragma once

#include "benchmarks/kernels/common/kernel.h"

namespace morgana::kernels {

/// FT: the heat equation in a periodic box, solved with three-dimensional Fourier transforms: one forward,
/// then an inverse one for each time step. Workers own slabs of z planes; a transform turns them into slabs
/// of x planes for the z direction and back: two all-to-all exchanges.
///
/// Sizes: nx, ny, nz (powers of two), time steps. Verified by the published checksums of classes S, W and A;
/// other sizes by transforming the first spectrum back to the initial values.
///
/// Source: Bailey et al., The NAS Parallel Benchmarks, 1991, section 2.2.4.
const Kernel& ft();

}  // namespace morgana::kernels
