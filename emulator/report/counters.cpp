#include "emulator/report/counters.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "emulator/report/readable.h"
#include "emulator/report/table.h"

namespace morgana {
namespace {

std::string shown(const CounterTable::Value& value, bool share) {
  if (const auto* count = std::get_if<std::int64_t>(&value)) return fmt::format("{}", *count);
  if (const auto* text = std::get_if<std::string>(&value)) return *text;
  const double number = std::get<double>(value);
  if (share) return readable_share(number);
  return readable_number(number);
}

constexpr std::string_view utilisation_column = "utilisation", pause_column = "pause in force";
/// What says most of a row of other tables, in this order.
constexpr std::array<std::string_view, 6> amount_columns{
    "links held in the mean", "of the queue", "packets", "cells in", "frames", "bytes"};

std::optional<std::size_t> column_named(const CounterTable& table, std::string_view name) {
  for (std::size_t i = 0; i < table.columns.size(); ++i)
    if (table.columns[i].name == name) return i;
  return std::nullopt;
}

double as_number(const CounterTable::Value& value) {
  if (const auto* count = std::get_if<std::int64_t>(&value)) return static_cast<double>(*count);
  const auto* number = std::get_if<double>(&value);
  return number == nullptr ? 0 : *number;
}

/// The column by which a table is sorted.
/// @param rows  how many have a count: what does not say how busy something is sorts only a table that is cut
std::optional<std::size_t> ranking_column(const CounterTable& table, std::size_t rows) {
  for (const std::string_view name : {utilisation_column, pause_column})
    if (const auto column = column_named(table, name)) return column;
  if (rows <= counter_rows) return std::nullopt;
  for (const std::string_view name : amount_columns)
    if (const auto column = column_named(table, name)) return column;
  return std::nullopt;
}

/// What of a table is not shown.
std::string rest_text(const CounterTable& table, std::optional<std::size_t> ranked_by, std::size_t rows) {
  std::string how = " more";
  if (ranked_by) {
    const std::string& name = table.columns[*ranked_by].name;
    how = name == utilisation_column ? " less busy" : fmt::format(" with smaller \"{}\"", name);
  }
  return fmt::format("  and {} row{}{}; --json has {}\n", rows, rows == 1 ? "" : "s", how,
                     rows == 1 ? "it, too" : "them all");
}

/// Whether the row has a count. In a table of several rows the first column says which one it is; a
/// utilisation may be that of what the row is a part of.
bool counts_something(const CounterTable& table, const std::vector<CounterTable::Value>& row) {
  bool has_counts = false;
  for (std::size_t i = table.rows.size() > 1 ? 1 : 0; i < row.size(); ++i) {
    const CounterTable::Column& column = table.columns[i];
    if (column.name == utilisation_column || std::holds_alternative<std::string>(row[i])) continue;
    has_counts = true;
    if (as_number(row[i]) != 0) return true;
  }
  return !has_counts;
}

/// The rows that are shown, in order.
std::vector<std::size_t> shown_rows(const CounterTable& table) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < table.rows.size(); ++i)
    if (counts_something(table, table.rows[i])) order.push_back(i);
  if (const auto column = ranking_column(table, order.size()))
    std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) {
      return as_number(table.rows[a][*column]) > as_number(table.rows[b][*column]);
    });
  return order;
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
    TextTable table(std::move(heading));
    std::vector<std::size_t> order = shown_rows(counters);
    const std::size_t rows = order.size();
    order.resize(std::min(rows, counter_rows));
    for (const std::size_t number : order) {
      const auto& row = counters.rows[number];
      std::vector<std::string> cells;
      for (std::size_t i = 0; i < row.size(); ++i) cells.push_back(shown(row[i], counters.columns[i].share));
      table.add(std::move(cells));
    }
    text += counters.title + '\n' + (order.empty() ? "  all counts are 0\n" : table.text("  "));
    if (rows > order.size()) text += rest_text(counters, ranking_column(counters, rows), rows - order.size());
  }
  return text;
}

bool lists_links(std::span<const CounterTable> tables) {
  return std::ranges::any_of(tables, [](const CounterTable& table) {
    return column_named(table, "from") && column_named(table, "to") &&
           column_named(table, utilisation_column);
  });
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
