#pragma once

#include "benchmarks/kernels/common/kernel.h"

namespace morgana::kernels {

/// PDE2: Poisson's equation in a square with known boundary values, by multigrid W-cycles with red-black
/// smoothing. A rectangle of workers shares every grid, down to the coarsest; blocks of neighbours overlap in
/// a line of points, and after each half sweep they exchange the lines next to it.
///
/// Sizes: intervals a side (a power of two), cycles. Verified by a solution that the difference equations
/// fulfil exactly: after c cycles the relative error may be 0.15^c or 1e-10, whichever is greater.
///
/// Source: the kernel is described in Addison et al., The GENESIS Distributed-Memory Benchmarks, 1991; the
/// method is that of Stueben and Trottenberg, Multigrid Methods, 1982.
const Kernel& pde2();

}  // namespace morgana::kernels
