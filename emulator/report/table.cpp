#include "emulator/report/table.h"

#include <algorithm>
#include <cassert>

#include "emulator/report/csv.h"

namespace morgana {
void Table::add(std::vector<std::string> row) {
  assert(row.size() == rows_.front().size());
  rows_.push_back(std::move(row));
}

std::string Table::text(const std::string& indent) const {
  std::vector<std::size_t> widths(rows_.front().size());
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  }
  std::string result;
  for (const auto& row : rows_) {
    result += indent + row[0];
    std::size_t missing = widths[0] - row[0].size();
    for (std::size_t i = 1; i < row.size(); ++i) {
      result.append(missing + 2 + widths[i] - row[i].size(), ' ');
      result += row[i];
      missing = 0;
    }
    result += '\n';
  }
  return result;
}

std::string Table::csv() const {
  std::string result;
  for (const auto& row : rows_) result += csv_line(row);
  return result;
}

}  // namespace morgana
