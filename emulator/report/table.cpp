#include "emulator/report/table.h"

#include <algorithm>
#include <cassert>

#include "emulator/report/csv.h"

namespace morgana {
void TextTable::add(std::vector<std::string> row) {
  assert(row.size() == rows_.front().size());
  rows_.push_back(std::move(row));
}

std::vector<std::size_t> TextTable::widths() const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  return widths;
}

std::string TextTable::row_text(std::size_t number, const std::vector<std::size_t>& widths) const {
  const auto& row = rows_.at(number);
  const auto missing = [&](std::size_t i) { return widths[i] - std::min(widths[i], row[i].size()); };
  std::string result = row[0];
  std::size_t behind = missing(0);
  for (std::size_t i = 1; i < row.size(); ++i) {
    result.append(behind + 2 + missing(i), ' ');
    result += row[i];
    behind = 0;
  }
  return result + '\n';
}

std::string TextTable::text(const std::string& indent) const {
  const std::vector<std::size_t> columns = widths();
  std::string result;
  for (std::size_t row = 0; row < rows_.size(); ++row) result += indent + row_text(row, columns);
  return result;
}

std::string TextTable::csv() const {
  std::string result;
  for (const auto& row : rows_) result += csv_line(row);
  return result;
}

}  // namespace morgana
