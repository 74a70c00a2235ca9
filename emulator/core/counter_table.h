#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace morgana {

/// What something has counted, as a table for people and files.
struct CounterTable {
  struct Column {
    std::string name;    ///< in words: "cells lost"
    bool share = false;  ///< a part of a whole, 0 to 1
    bool trouble =
        false;  ///< its counts are signs of trouble: losses, retransmissions, timeouts, pauses, marks
  };
  using Value = std::variant<std::int64_t, double, std::string>;

  std::string title;  ///< in words: "ATM outputs"
  std::vector<Column> columns;
  std::vector<std::vector<Value>> rows;  ///< as many values as there are columns
  /// Of a table whose rows are kinds of events, a name and a count each: the rows whose counts are signs of
  /// trouble, by their place in `rows`.
  std::vector<std::size_t> trouble_rows = {};
};

/// A count that is a sign of trouble, over all rows of its table.
struct TroubleCount {
  std::string title;  ///< of the table
  std::string name;   ///< of the column, or of the row in a table whose rows are kinds of events
  std::int64_t count = 0;
  bool operator==(const TroubleCount&) const = default;
};

/// The counts that tables declare as signs of trouble, those of 0 included, in the order of the tables.
std::vector<TroubleCount> troubles_in(std::span<const CounterTable> tables);

}  // namespace morgana
