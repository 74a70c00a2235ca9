#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "emulator/core/counter_table.h"

namespace morgana {

/// Each table under its title.
std::string counters_text(std::span<const CounterTable> tables);
/// By title, a list of rows, each by its columns' names; blanks become underscores.
nlohmann::ordered_json counters_json(std::span<const CounterTable> tables);

}  // namespace morgana
