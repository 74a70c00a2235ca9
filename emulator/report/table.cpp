#include "emulator/report/table.h"

#include <algorithm>
#include <cassert>

namespace morgana {
namespace {

std::string quoted(const std::string& cell) {
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string result = "\"";
  for (const char c : cell) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

}  // namespace

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
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (i > 0) result += ',';
      result += quoted(row[i]);
    }
    result += '\n';
  }
  return result;
}

}  // namespace morgana
