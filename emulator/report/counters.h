#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "emulator/core/counter_table.h"

namespace morgana {

/// Rows of a table with a utilisation that counters_text() shows at most.
constexpr std::size_t counter_rows = 40;

/// Each table under its title. Rows that count nothing are left out. Of a table with a utilisation, or with
/// pauses, the busiest rows come first, and only the first `counter_rows` are shown.
std::string counters_text(std::span<const CounterTable> tables);
/// Whether one of them has the network's links with their utilisations.
bool lists_links(std::span<const CounterTable> tables);
/// By title, a list of rows, each by its columns' names; blanks become underscores.
nlohmann::ordered_json counters_json(std::span<const CounterTable> tables);

}  // namespace morgana
