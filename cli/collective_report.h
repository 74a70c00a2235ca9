#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "emulator/report/pictures/curves.h"
#include "emulator/report/table.h"
#include "runs/collective_time.h"

namespace morgana::cli {

/// What `morgana collective` shows.
struct CollectiveReport {
  struct Row {
    Bytes bytes;
    std::string algorithm;
    CollectiveTime measured;
  };
  MeasuredCollective collective = MeasuredCollective::all_reduce;
  std::string platform, library;
  std::size_t ranks = 0;
  std::string placement;  ///< "2 ranks on each of 4 hosts (--map block)"
  /// A row by `auto` that another row of the same size beats.
  struct Slower {
    std::size_t row, faster;  ///< places in `rows`
  };
  std::vector<Slower> slower_choices() const;
  std::vector<Row> rows;             ///< by size, then as the algorithms were named
  std::vector<std::string> notices;  ///< what decides what the times mean
  std::vector<Bytes> too_small;      ///< sizes that were asked for and have no element for each block
};

/// Sizes in bytes, times in microseconds, bandwidths in GB/s.
TextTable collective_table(const CollectiveReport& report);
/// What stands above the rows of the text: a title and the table's heading. Rows whose times are not known
/// yet decide the columns' widths.
std::string collective_heading(const CollectiveReport& report);
/// A row of the text, in the columns of the heading.
std::string collective_row(const CollectiveReport& report, std::size_t row);
/// What stands below the rows; may be empty.
std::string collective_footing(const CollectiveReport& report);
std::string collective_json(const CollectiveReport& report);
/// busbw over size, a curve for each algorithm.
Curves bandwidth_curves(const CollectiveReport& report);
/// Times over size, both logarithmic.
Curves time_curves(const CollectiveReport& report);

}  // namespace morgana::cli
