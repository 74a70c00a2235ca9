#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace morgana {

/// What something has counted, as a table for people and files.
struct CounterTable {
  struct Column {
    std::string name;    ///< in words: "cells lost"
    bool share = false;  ///< a part of a whole, 0 to 1
  };
  using Value = std::variant<std::int64_t, double, std::string>;

  std::string title;  ///< in words: "ATM outputs"
  std::vector<Column> columns;
  std::vector<std::vector<Value>> rows;  ///< as many values as there are columns
};

}  // namespace morgana
