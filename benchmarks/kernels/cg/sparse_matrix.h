#pragma once

#include <vector>

#include "benchmarks/kernels/common/split.h"

namespace morgana::kernels {

/// Some rows of a sparse square matrix.
struct SparseRows {
  std::vector<int> starts;  ///< of row i in columns and values, and one more
  std::vector<int> columns;
  std::vector<double> values;

  /// The rows times `whole`, a vector of the matrix' order. @param product  one entry a row
  void multiply(const std::vector<double>& whole, std::vector<double>& product) const;
};

/// Rows `rows` of CG's matrix: the sum of w(i) v(i) v(i)^T over all i plus (0.1 - shift) times the identity.
/// v(i) has `nonzeros` random entries at random places and 0.5 at place i; the weights w(i) fall
/// geometrically from 1 to 0.1. Source: Bailey et al., The NAS Parallel Benchmarks, 1991, section 2.2.3.
SparseRows rows_of_cg_matrix(Interval rows, int order, int nonzeros, double shift);

}  // namespace morgana::kernels
