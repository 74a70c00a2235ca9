#pragma once

#include <cstdint>
#include <vector>

namespace morgana {

/// Switches at the points of a grid: x + y * sides[0] + z * sides[0] * sides[1] ...
struct Grid {
  enum class Lines : std::uint8_t {
    open,    ///< switches of a line are joined to the next ones: a mesh
    closed,  ///< the last to the first, too: a torus
    full,    ///< to all others of the line: a HyperX
  };
  std::vector<unsigned> sides;  ///< switches along each dimension, at least 1
  Lines lines = Lines::closed;
};

}  // namespace morgana
