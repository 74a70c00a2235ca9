#include "emulator/report/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "emulator/report/readable.h"
#include "emulator/report/table.h"

namespace morgana {
namespace {

std::string shown(const CounterTable::Value& value, bool share) {
  if (const auto* count = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *count);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const double number = std::get<double>(value);
  if (share) return readable_share(number);
  constexpr double most_with_fraction = 1000;  // four digits; 11834 is easier to read than 1.183e+04
  return number < most_with_fraction ? fmt::format("{:.4g}", number) : fmt::format("{:.0f}", number);
}

std::string key(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

}  // namespace

std::string counters_text(std::span<const CounterTable> tables) {
  std::string text;
  for (const CounterTable& counters : tables) {
    std::vector<std::string> heading;
    for (const auto& column : counters.columns) heading.push_back(column.name);
    Table table(std::move(heading));
    for (const auto& row : counters.rows) {
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < row.size(); ++i) cells.push_back(shown(row[i], counters.columns[i].share));
      table.add(std::move(cells));
    }
    text += counters.title + '\n' + table.text("  ");
  }
  return text;
}

nlohmann::ordered_json counters_json(std::span<const CounterTable> tables) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const CounterTable& counters : tables) {
    nlohmann::ordered_json& rows = json[key(counters.title)] = nlohmann::ordered_json::array();
    for (const auto& row : counters.rows) {
      nlohmann::ordered_json entry;
      for (std::size_t i = 0; i < row.size(); ++i)
        std::visit([&](const auto& value) { entry[key(counters.columns[i].name)] = value; }, row[i]);
      rows.push_back(std::move(entry));
    }
  }
  return json;
}

}  // namespace morgana
