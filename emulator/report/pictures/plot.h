#pragma once

#include <string>
#include <vector>

#include "emulator/core/error.h"

namespace morgana {

/// A bar for each category, each made of the same parts put on top of one another.
struct StackedBars {
  std::string title;
  std::vector<std::string> parts;            ///< names, from the bottom up
  std::vector<std::string> categories;       ///< one bar each
  std::vector<std::vector<double>> seconds;  ///< by category, then by part; >= 0
  std::vector<std::string> notes;            ///< above each bar

  /// Adds a run's time, in seconds, to bars of nothing else: computing, communication, and, where the ranks'
  /// lives take less in the mean than the run, the rest.
  void add_run(const std::string& category, double total, double compute, double communication,
               const std::string& note);
};

/// The commands that make gnuplot draw the bars into `file`; its ending says as what: .svg or .png.
/// @throws Error for another ending
std::string gnuplot_script(const StackedBars& bars, const std::string& file);

/// Draws the bars. @throws Error if gnuplot is missing or fails, or for another ending
void draw(const StackedBars& bars, const std::string& file);

}  // namespace morgana
