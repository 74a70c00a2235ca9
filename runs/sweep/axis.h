#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/error.h"

namespace morgana {

/// What a sweep varies, and over which values, in their order.
struct Axis {
  std::string key;
  std::vector<std::string> values;  ///< as the user would write them, not empty
};

/// Reads KEY=VALUES, where VALUES are as for parse_values.
/// @throws Error for what is neither
Axis parse_axis(const std::string& text);

/// Reads values and ranges, separated by commas:
///   10 Mb/s,100 Mb/s      single values, any text
///   0..500 us:100 us      from, to and step, one unit for all: 0 us, 100 us, ... 500 us; exact in decimals
///   64..1024 cells:x2     from, to and factor: 64 cells, 128 cells, ... 1024 cells
///   [3,1],[1,1]           lists, each a value
/// A range's last value is the last step that does not pass its end.
/// @param where  for messages: the option and its text
/// @throws Error for what is none of these, mixed units, a value given twice, a list without its end, and
/// more than 10,000 values
std::vector<std::string> parse_values(std::string_view text, const std::string& where);

/// Gives the last value's unit, unless that is %, to those before it that are plain numbers: of
/// "100,200,400 Mb/s" all three are rates. @throws Error if two values are the same then
void share_last_unit(Axis& axis);

/// Reads a sweep's seeds: "10" are the seeds 1 to 10, "5..8" those four. @throws Error for anything else
std::vector<std::uint64_t> parse_seeds(const std::string& text);

/// A value's leading number, to put it on a plot's axis. @return false for a word
bool leading_number(const std::string& value, double& number, std::string& unit);

}  // namespace morgana
