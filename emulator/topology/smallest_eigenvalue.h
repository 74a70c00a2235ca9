#pragma once

#include <vector>

#include "emulator/topology/joined_switches.h"

namespace morgana {

/// Of a network's Laplacian, on vectors whose sum over the switches with hosts is 0.
struct SmallestEigenvalue {
  double value = 0;
  double residual = 0;         ///< an eigenvalue is no further than this from `value`
  std::vector<double> vector;  ///< by switch, of length 1
};

/// By the Lanczos method with full reorthogonalisation, begun anew from its best vector until the residual is
/// small, from a start drawn by chance (the same one each time): it finds the smallest one unless that chance
/// vector is orthogonal to it. Source: Golub and Van Loan, "Matrix Computations", chapter 10.
SmallestEigenvalue smallest_eigenvalue(const JoinedSwitches& joined, const std::vector<bool>& has_hosts);

}  // namespace morgana
