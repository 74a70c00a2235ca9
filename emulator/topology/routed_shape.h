#pragma once

#include <variant>

#include "emulator/topology/kinds/dragonfly.h"
#include "emulator/topology/kinds/grid.h"

namespace morgana {

/// What routings that know a topology go by; nothing for topologies that have none of their own.
using RoutedShape = std::variant<std::monostate, Grid, Dragonfly>;

}  // namespace morgana
