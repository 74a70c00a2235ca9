#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace morgana {

using CsvRow = std::vector<std::string>;

/// A row as comma-separated values (RFC 4180), with its newline.
std::string csv_line(const CsvRow& row);

/// What could be read of a text of comma-separated values.
struct CsvText {
  std::vector<CsvRow> rows;
  std::size_t complete = 0;  ///< bytes up to the end of the last whole row: what follows lacks its newline
};
CsvText read_csv(std::string_view text);

}  // namespace morgana
