#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace morgana {

/// Rows of text set in columns: the first column to the left, all others to the right.
class TextTable {
 public:
  explicit TextTable(std::vector<std::string> heading) : rows_{std::move(heading)} {}
  /// @param row  as many cells as the heading has
  void add(std::vector<std::string> row);
  /// Every line ends with a newline and begins with `indent`.
  std::string text(const std::string& indent = "") const;
  /// The row alone, the heading being row 0, with columns at least as wide as `widths` says: for tables that
  /// are printed row by row.
  std::string row_text(std::size_t row, const std::vector<std::size_t>& widths) const;
  /// Of each column, as wide as its widest cell.
  std::vector<std::size_t> widths() const;
  /// The same as comma-separated values (RFC 4180).
  std::string csv() const;
  /// The heading, then what was added.
  const std::vector<std::vector<std::string>>& rows() const { return rows_; }

 private:
  std::vector<std::vector<std::string>> rows_;
};

}  // namespace morgana
