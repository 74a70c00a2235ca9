#pragma once

#include <cstdint>
#include <vector>

namespace morgana {

/// How the switches of a network are best drawn.
struct NetworkShape {
  enum class Kind : std::uint8_t {
    free,     ///< wherever their cables put them
    grid,     ///< `width` in a row, from left to right and downwards; cables may go round the edge
    lattice,  ///< as a grid, but no cable goes round the edge: long ones pass the switches between
    levels,   ///< `width` in a row, or as `rows` says, from left to right and upwards
    groups,   ///< `width` close together
    circle,
    tree,  ///< each above the `width` next ones that are left; the first at the top
  } kind = Kind::free;
  unsigned width = 1;  ///< >= 1
  /// Levels that differ: switches in each, from the lowest up; of a lattice its sides, where there are more
  /// than two. Empty: `width` says all.
  std::vector<unsigned> rows = {};
};

}  // namespace morgana
