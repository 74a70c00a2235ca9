#pragma once

#include "benchmarks/kernels/common/kernel.h"

namespace morgana::kernels {

/// PDE1: Poisson's equation in a cube with known boundary values, by red-black successive over-relaxation
/// with Chebyshev acceleration. The y-z plane is dealt to a rectangle of workers; after every half sweep
/// neighbours exchange the points of one colour on their common faces.
///
/// Sizes: inner points a side, iterations. Verified by a solution that the difference equations fulfil
/// exactly.
///
/// Source: the kernel is described in Addison et al., The GENESIS Distributed-Memory Benchmarks, 1991; the
/// method is that of Hockney and Eastwood, Computer Simulation Using Particles, 1981.
const Kernel& pde1();

}  // namespace morgana::kernels
