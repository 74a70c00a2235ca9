#pragma once

#include <cstdint>

namespace morgana {

/// How the switches of a network are best drawn.
struct NetworkShape {
  enum class Kind : std::uint8_t {
    free,    ///< wherever their cables put them
    grid,    ///< `width` in a row, from left to right and downwards; cables may go round the edge
    levels,  ///< `width` in a row, from left to right and upwards
    groups,  ///< `width` close together
    circle,
    tree,  ///< each above the `width` next ones that are left; the first at the top
  } kind = Kind::free;
  unsigned width = 1;  ///< >= 1
};

}  // namespace morgana
