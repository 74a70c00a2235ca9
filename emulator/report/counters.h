#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "emulator/core/counter_table.h"

namespace morgana {

/// Rows of a table that counters_text() shows at most.
constexpr std::size_t counter_rows = 40;

/// Each table under its title. Rows that count nothing are left out. Of a table with a utilisation, or with
/// pauses, the busiest rows come first. Of any table at most `counter_rows` rows are shown, and a line says
/// how many are left out: of virtual channels those with fewest packets, of congested links those that held
/// fewest links, of senders those with the smallest share of the queue; of tables without such a column the
/// last ones.
std::string counters_text(std::span<const CounterTable> tables);
/// Whether one of them has the network's links with their utilisations.
bool lists_links(std::span<const CounterTable> tables);
/// By title, a list of rows, each by its columns' names; blanks become underscores.
nlohmann::ordered_json counters_json(std::span<const CounterTable> tables);

}  // namespace morgana
