#pragma once

#include <vector>

namespace morgana {

/// Switches at the points of a grid: x + y * sides[0] + z * sides[0] * sides[1] ..., joined to the next ones
/// in every dimension.
struct Grid {
  std::vector<unsigned> sides;  ///< switches along each dimension, at least 1
  bool wraps = true;            ///< the last of each dimension is joined to the first: a torus, else a mesh
};

}  // namespace morgana
