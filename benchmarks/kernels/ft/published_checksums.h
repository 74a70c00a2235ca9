#pragma once

#include <complex>
#include <vector>

#include "benchmarks/kernels/common/kernel.h"

namespace morgana::kernels {

/// FT's checksums of the classes S, W and A after each time step; empty for other sizes.
/// Source: the verification values of the NAS Parallel Benchmarks.
std::vector<std::complex<double>> published_checksums(const Sizes& sizes);

}  // namespace morgana::kernels
