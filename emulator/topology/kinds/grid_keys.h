#pragma once

#include <string_view>
#include <vector>

#include "emulator/core/network_shape.h"
#include "emulator/schema/schema.h"
#include "emulator/topology/topology_facts.h"

namespace morgana::topology {

/// network.columns, network.rows and network.planes, or network.sides for any number of dimensions.
std::vector<Key> grid_keys();
/// Switches along each dimension, at least one dimension. @throws TopologyError where both ways are used
std::vector<unsigned> grid_sides(const Settings& settings);

/// With other sides, by whichever way.
Settings with_sides(Settings settings, const std::vector<unsigned>& sides);

/// Switches of a grid. @param name  "torus", for errors. @throws Error for a side of 0, and for too many
std::size_t points_of(const std::vector<unsigned>& sides, std::string_view name);

/// How it is drawn: more than two dimensions as blocks of planes. @param flat  what two dimensions are drawn
/// as
NetworkShape grid_shape(const std::vector<unsigned>& sides, NetworkShape::Kind flat);

/// Trunks by the dimension along which they lead, where switches are numbered as Grid says. No bisection.
TopologyFacts grid_facts(const std::vector<unsigned>& sides);

}  // namespace morgana::topology
