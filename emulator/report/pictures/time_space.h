#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "emulator/core/error.h"

namespace morgana {

/// What occupies which place when: a row for each place, from the top down, time to the right, a box for each
/// thing while it is there.
struct TimeSpace {
  struct Box {
    std::size_t row = 0;
    double begin = 0, end = 0;
    std::size_t colour = 0;  ///< of gnuplot::colours, over and over
    std::string label;       ///< in the box, where there is room for it; may be empty
  };
  std::string title, time_name;   ///< with the unit: "time (us)"
  std::vector<std::string> rows;  ///< one at least
  std::vector<Box> boxes;
};

/// The commands that make gnuplot draw it into `file`; its ending says as what: .svg or .png.
/// @throws Error for another ending
std::string gnuplot_script(const TimeSpace& picture, const std::string& file);

/// Draws it. @throws Error if gnuplot is missing or fails, or for another ending
void draw(const TimeSpace& picture, const std::string& file);

}  // namespace morgana
