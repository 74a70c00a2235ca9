#include "emulator/report/csv.h"

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

std::string csv_line(const CsvRow& row) {
  std::string line;
  for (std::size_t i = 0; i < row.size(); ++i) {
    if (i > 0) line += ',';
    line += quoted(row[i]);
  }
  return line + '\n';
}

CsvText read_csv(std::string_view text) {
  CsvText result;
  CsvRow row;
  std::string cell;
  bool inside_quotes = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (inside_quotes) {
      if (c != '"') {
        cell += c;
      } else if (i + 1 < text.size() && text[i + 1] == '"') {
        cell += text[++i];
      } else {
        inside_quotes = false;
      }
    } else if (c == '"') {
      inside_quotes = true;
    } else if (c == ',' || c == '\n') {
      if (c == '\n' && !cell.empty() && cell.back() == '\r') cell.pop_back();
      row.push_back(std::move(cell));
      cell.clear();
      if (c == '\n') {
        result.rows.push_back(std::move(row));
        row.clear();
        result.complete = i + 1;
      }
    } else {
      cell += c;
    }
  }
  return result;
}

}  // namespace morgana
