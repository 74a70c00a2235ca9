#pragma once

#include <variant>

#include "emulator/topology/dragonfly.h"
#include "emulator/topology/grid.h"

namespace morgana {

/// What routings that know a topology go by; nothing for topologies that have none of their own.
using RoutedShape = std::variant<std::monostate, Grid, Dragonfly>;

}  // namespace morgana
