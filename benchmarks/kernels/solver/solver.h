#pragma once

#include "benchmarks/kernels/common/kernel.h"

namespace morgana::kernels {

/// SOLVER: one column of a quark propagator on a four-dimensional lattice: (1 - kappa D) psi = a point
/// source, with Wilson's D on a given background of SU(3) links, by a fixed number of stabilised biconjugate
/// gradient iterations on the even sites. z and t are dealt to a rectangle of workers; each application of D
/// exchanges projected spinors on the faces. Fields are in single precision, sums in double.
///
/// Sizes: the lattice, iterations. Verified by the residual of the whole system.
///
/// Source: the kernel is described in Addison et al., The GENESIS Distributed-Memory Benchmarks, 1991; the
/// methods are those of Wilson, Confinement of quarks, 1974, DeGrand, A conditioning technique for matrix
/// inversion for Wilson fermions, 1988, and van der Vorst, Bi-CGSTAB, 1992.
const Kernel& solver();

}  // namespace morgana::kernels
