#include "emulator/core/counter_table.h"

#include <algorithm>

namespace morgana {
namespace {

std::int64_t count_in(const CounterTable::Value& value) {
  const auto* const count = std::get_if<std::int64_t>(&value);
  return count == nullptr ? 0 : *count;
}

/// Adds to the count of that name in `table`'s own part of the list, which begins at `first`.
void add(std::vector<TroubleCount>& list, std::size_t first, const std::string& title,
         const std::string& name, std::int64_t count) {
  const auto begin = list.begin() + static_cast<std::ptrdiff_t>(first);
  const auto place = std::find_if(begin, list.end(), [&](const auto& one) { return one.name == name; });
  if (place == list.end())
    list.push_back({title, name, count});
  else
    place->count += count;
}

}  // namespace

std::vector<TroubleCount> troubles_in(std::span<const CounterTable> tables) {
  std::vector<TroubleCount> list;
  for (const CounterTable& table : tables) {
    const std::size_t first = list.size();
    for (std::size_t column = 0; column < table.columns.size(); ++column) {
      if (!table.columns[column].trouble) continue;
      for (const auto& row : table.rows)
        add(list, first, table.title, table.columns[column].name, count_in(row.at(column)));
    }
    for (const std::size_t number : table.trouble_rows) {
      const auto& row = table.rows.at(number);
      if (const auto* const name = std::get_if<std::string>(&row.front()))
        add(list, first, table.title, *name, count_in(row.back()));
    }
  }
  return list;
}

}  // namespace morgana
