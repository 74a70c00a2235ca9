#pragma once

#include <string>
#include <vector>

#include "emulator/core/error.h"

namespace morgana {

/// One point of a curve, with the half-width of its confidence interval (0: none is drawn).
struct CurvePoint {
  double x = 0, y = 0;
  double radius = 0;
};

struct Curve {
  /// What is measured has marks, what is computed between them does not.
  enum class Style { marks_and_lines, marks, line };

  std::string name;
  std::vector<CurvePoint> points;  ///< in the order in which they are joined
  Style style = Style::marks_and_lines;
};

/// Curves over one axis. Values are drawn as they are: units stand in the axes' names.
struct Curves {
  std::string title, x_name, y_name;
  bool logarithmic_x = false;  ///< only for x > 0
  bool logarithmic_y = false;  ///< only for y > 0
  /// Names of the places 0, 1, 2, ... on the x axis, where it has words instead of numbers. Points there are
  /// not joined: between words lies nothing.
  std::vector<std::string> places;
  std::vector<Curve> curves;
  bool x_is_size = false;  ///< bytes, whose marks are written with units: "8 MiB"
};

/// The commands that make gnuplot draw the curves into `file`; its ending says as what: .svg or .png.
/// @throws Error for another ending
std::string gnuplot_script(const Curves& curves, const std::string& file);

/// Draws the curves. @throws Error if gnuplot is missing or fails, or for another ending
void draw(const Curves& curves, const std::string& file);

}  // namespace morgana
