#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "runs/fit/measured_times.h"

namespace morgana {

/// What all_reduce_perf of nccl-tests has measured.
struct NcclLog {
  std::string origin;               ///< for reports
  std::size_t ranks = 0;            ///< GPUs of one node, > 1
  std::vector<MeasuredTime> times;  ///< out of place, by rising size, each size once (the mean); sizes > 0
};

/// Whether a text has the heading of a table of nccl-tests.
bool is_nccl_log(std::string_view text);

/// Reads a log of all_reduce_perf on one node: the lines "# Rank ..." and the table, with or without a column
/// of roots; other lines do not count.
/// @param origin  its name, for errors
/// @throws Error naming file and line for a damaged line, or what is missing
NcclLog read_nccl_log(std::string_view text, const std::string& origin);

}  // namespace morgana
