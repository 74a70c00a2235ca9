#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "emulator/report/pictures/curves.h"
#include "emulator/report/pictures/link_map.h"
#include "emulator/report/pictures/plot.h"
#include "emulator/report/pictures/time_space.h"
#include "emulator/report/table.h"

namespace morgana {

/// Texts in columns; the first one to the left, all others to the right.
struct ChartTable {
  std::vector<std::string> heading;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> tones = {};  ///< by row: "good", "bad", or nothing; may be empty
  /// Columns whose texts may be long: they are set to the left, and wrapped.
  std::vector<std::size_t> wide = {};
};
ChartTable chart_table(const TextTable& table);

using ChartFigure = std::variant<StackedBars, Curves, LinkMap, TimeSpace, ChartTable>;

/// Figures that take the same place: the reader chooses one by its name.
struct ChartSection {
  std::string heading;
  std::string text;  ///< a sentence or two below the heading; may be empty
  std::vector<std::pair<std::string, ChartFigure>> figures;
};

/// A run whose timeline stands under those of the page's other runs.
struct ChartRun {
  std::string name;     ///< "myrinet-ud"
  nlohmann::json data;  ///< page_data() of report/timeline_page.h
};

/// What is not one run's, but lies beside other things: comparisons, sweeps, experiments, loads.
struct ChartPage {
  std::string title;
  std::string answer = {};           ///< what it has come to, in a sentence or two below it; may be empty
  std::vector<std::string> facts;    ///< how it was found, below that
  std::vector<std::string> notices;  ///< what decides what the figures mean
  std::vector<ChartSection> sections;
  std::vector<ChartRun> runs;  ///< drawn below all sections over one axis of time; may be empty
};

/// What report/web/charts.js draws. Numbers are those of the figures, in the units that stand in their names;
/// of bars, seconds.
///
///     title, answer, facts, notices
///     sections  [{heading, text, figures}], figures: [{name, kind, ...}] with, by kind,
///         bars    {title, parts, categories, seconds, notes}, as StackedBars
///         curves  {title, x_name, y_name, logarithmic_x, logarithmic_y, places, curves: [{name, style,
///                 points: [[x, y, radius]]}]}; style: "marks-and-lines", "marks" or "line"
///         map     {title, caption, coloured, darkest, places: [{at, name}], hosts: [{at, name_at, name}],
///                 lines: [{points, share, thin}]}; a point is [x, y], y upwards
///         boxes   {title, time_name, rows, boxes: [{row, begin, end, colour, label}]}
///         table   {heading, rows, tones, wide}
///     runs      [{name, data}], as ChartRun
nlohmann::json chart_data(const ChartPage& page);

/// A web page of it: one file, which loads nothing from anywhere. @throws Error unless can_make_pages()
std::string chart_page(const ChartPage& page);

}  // namespace morgana
