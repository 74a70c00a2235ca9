#include "emulator/core/resource_load.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>
#include <variant>

namespace morgana {
namespace {

using UsedAt = ResourceLoad::Place;

constexpr const char *share_column = "in use", *time_column = "in use (us)";
constexpr double us_per_s = 1e6;

const char* column_of(UsedAt place) {
  return place == UsedAt::sending ? "sending host" : place == UsedAt::receiving ? "receiving host" : "medium";
}

/// Without "rail 1: ".
std::string name_without_rail(std::string_view title) {
  constexpr std::string_view rail = "rail ", behind = ": ";
  const std::size_t colon = title.find(behind);
  if (title.starts_with(rail) && colon != std::string_view::npos) title.remove_prefix(colon + behind.size());
  return std::string(title);
}

/// What a table of another kind says of resources.
struct KnownTable {
  const char *title, *column;
  UsedAt place;
  const char* name;
  bool is_share = false;  ///< else microseconds
};
constexpr KnownTable known_tables[] = {
    {"I/O buses", "busy (us)", UsedAt::sending, "I/O buses of hosts (hosts.io-bus)"},
    {"memories", "at its limit (us)", UsedAt::memory, "memories of hosts (hosts.memory-bandwidth)"},
    {"cable", "utilisation", UsedAt::sending, "the cable (network.rate)", true}};

/// @param column  with shares or times, in microseconds, of the hosts in the first column
void add_rows(std::vector<ResourceLoad>& loads, const CounterTable& table, std::size_t column, UsedAt place,
              const std::string& name, double whole) {
  for (const auto& row : table.rows)
    loads.push_back({place, name, static_cast<std::uint32_t>(std::get<std::int64_t>(row.at(0))),
                     std::clamp(std::get<double>(row.at(column)) / whole, 0.0, 1.0)});
}

}  // namespace

CounterTable share_in_use(UsedAt place, const std::string& name) {
  return {name, {{column_of(place)}, {share_column, true}}, {}};
}

CounterTable time_in_use(UsedAt place, const std::string& name) {
  return {name, {{column_of(place)}, {time_column}}, {}};
}

double use_of(SimTime time) {
  return time.seconds() * us_per_s;
}

std::vector<ResourceLoad> resources_in(std::span<const CounterTable> tables, SimTime end) {
  std::vector<ResourceLoad> loads;
  const double whole = use_of(end);
  for (const CounterTable& table : tables) {
    const std::string name = name_without_rail(table.title);
    if (table.columns.size() == 2) {
      const bool shares = table.columns[1].name == share_column;
      for (const UsedAt place : {UsedAt::sending, UsedAt::shared, UsedAt::receiving})
        if ((shares || table.columns[1].name == time_column) && table.columns[0].name == column_of(place))
          add_rows(loads, table, 1, place, name, shares ? 1 : whole);
    }
    for (const KnownTable& known : known_tables) {
      if (name != known.title) continue;
      const auto column = std::ranges::find(table.columns, known.column, &CounterTable::Column::name);
      if (column != table.columns.end())
        add_rows(loads, table, static_cast<std::size_t>(std::distance(table.columns.begin(), column)),
                 known.place, known.name, known.is_share ? 1 : whole);
    }
  }
  return loads;
}

}  // namespace morgana
