#include "emulator/topology/kinds/torus.h"

#include <fmt/format.h>

#include <algorithm>

#include "emulator/topology/growth.h"
#include "emulator/topology/hosts.h"
#include "emulator/topology/kinds/grid_keys.h"
#include "emulator/topology/topology_kind.h"

namespace morgana {
namespace topology {
namespace {

/// Ports that a switch needs to reach the switches `steps` further along a side, up and down: half way round
/// these are the same, and beyond that a shorter way has been laid already.
unsigned ports_for(unsigned side, unsigned steps) {
  if (side > 2 * steps) return 2;
  return side == 2 * steps ? 1 : 0;
}

/// Switches with their hosts, without cables. @param cable_ports  that each needs for cables; @param name
/// "torus"
SwitchGraph switches_of_grid(const TorusShape& shape, unsigned cable_ports, const char* name) {
  const std::size_t switches = points_of(shape.sides, name);
  if (const unsigned ports = shape.hosts_per_switch + cable_ports; ports > shape.ports_per_switch) {
    throw TopologyError(
        "network.ports-per-switch",
        fmt::format("this {} takes {} ports a switch, {} of them for hosts, and its switches have {}", name,
                    ports, shape.hosts_per_switch, shape.ports_per_switch));
  }
  SwitchGraph graph;
  for (std::size_t n = 0; n < switches; ++n) graph.add_switch(shape.ports_per_switch);
  add_hosts_everywhere(graph, shape.hosts_per_switch);
  return graph;
}

SwitchGraph with_rings(const TorusShape& shape, unsigned longest_step) {
  unsigned ports = 0;
  for (const unsigned side : shape.sides)
    for (unsigned steps = 1; steps <= longest_step; ++steps) ports += ports_for(side, steps);
  SwitchGraph graph = switches_of_grid(shape, ports, "torus");
  const auto switches = static_cast<SwitchId>(graph.switches());

  unsigned up = shape.hosts_per_switch;  // the port that the next cables go out from
  for (unsigned steps = 1; steps <= longest_step; ++steps) {
    SwitchId stride = 1;
    for (const unsigned side : shape.sides) {
      const unsigned taken = ports_for(side, steps);
      const unsigned down = taken == 2 ? up + 1 : up;
      for (SwitchId id = 0; taken > 0 && id < switches; ++id) {
        const unsigned at = id / stride % side;
        if (taken == 1 && at >= steps) continue;  // laid from the other end
        const SwitchId other = id + ((at + steps) % side) * stride - at * stride;
        graph.connect({id, static_cast<PortNumber>(up)}, {other, static_cast<PortNumber>(down)});
      }
      up += taken;
      stride *= side;
    }
  }
  return graph;
}

}  // namespace

SwitchGraph torus(const TorusShape& shape) {
  return with_rings(shape, 1);
}

SwitchGraph express_torus(const TorusShape& shape) {
  return with_rings(shape, 2);
}

SwitchGraph mesh(const TorusShape& shape) {
  SwitchGraph graph = switches_of_grid(shape, 2 * static_cast<unsigned>(shape.sides.size()), "mesh");
  unsigned up = shape.hosts_per_switch;
  SwitchId stride = 1;
  for (const unsigned side : shape.sides) {
    for (SwitchId id = 0; id < graph.switches(); ++id) {
      if (id / stride % side + 1 < side)
        graph.connect({id, static_cast<PortNumber>(up)}, {id + stride, static_cast<PortNumber>(up + 1)});
    }
    up += 2;
    stride *= side;
  }
  return graph;
}

TopologyFacts torus_facts(const std::vector<unsigned>& sides, bool wraps) {
  TopologyFacts facts = grid_facts(sides);
  const std::uint64_t switches = points_of(sides, "torus");
  const unsigned longest = sides.empty() ? 1 : *std::max_element(sides.begin(), sides.end());
  // Two cuts halve every ring; one halves a line, and a side of 2, which has a single cable.
  if (longest % 2 == 0) facts.bisection = switches / longest * (wraps && longest > 2 ? 2 : 1);
  return facts;
}

}  // namespace topology

namespace {

topology::TorusShape torus_shape_of(const Settings& settings, const SwitchPorts& ports) {
  topology::TorusShape shape;
  shape.sides = topology::grid_sides(settings);
  shape.hosts_per_switch = ports.hosts;
  shape.ports_per_switch = ports.ports;
  return shape;
}

NetworkShape drawn(const Settings& settings, std::size_t) {
  return topology::grid_shape(topology::grid_sides(settings), NetworkShape::Kind::grid);
}

/// What dimension-order routes go by.
std::function<RoutedShape(const Settings&)> routed_grid(Grid::Lines lines) {
  return [lines](const Settings& settings) { return Grid{topology::grid_sides(settings), lines}; };
}

/// By its sides: a switch has the same ports whatever they are.
auto grown_grid(const char* name) {
  return [name](const Settings& settings, const SwitchPorts&, const topology::Growth& growth) {
    std::vector<unsigned> sides = topology::grid_sides(settings);
    std::erase(sides, 1U);
    const std::vector<unsigned> none(sides.size(), 0);
    return topology::with_sides(settings, topology::grown_sides(sides, none, growth, name));
  };
}

}  // namespace

TopologyKind torus_kind() {
  TopologyKind kind{"torus",
                    "`columns` x `rows` x `planes` switches, or `sides` of them, each joined to the next in "
                    "every dimension and "
                    "the last to the first; hosts on all of them",
                    topology::grid_keys(),
                    "network.columns",
                    [](const Settings& settings, const SwitchPorts& ports) {
                      return topology::torus(torus_shape_of(settings, ports));
                    },
                    drawn,
                    routed_grid(Grid::Lines::closed),
                    [](const Settings& settings, const SwitchPorts&) {
                      return topology::torus_facts(topology::grid_sides(settings), true);
                    }};
  kind.size_key_if_set = "network.sides";
  kind.grown = grown_grid("torus");
  return kind;
}

TopologyKind mesh_kind() {
  TopologyKind kind = torus_kind();
  kind.name = "mesh";
  kind.description = "a torus without the cables from the last switch of a dimension to the first";
  kind.graph = [](const Settings& settings, const SwitchPorts& ports) {
    return topology::mesh(torus_shape_of(settings, ports));
  };
  kind.routed = routed_grid(Grid::Lines::open);
  kind.facts = [](const Settings& settings, const SwitchPorts&) {
    return topology::torus_facts(topology::grid_sides(settings), false);
  };
  kind.grown = grown_grid("mesh");
  return kind;
}

TopologyKind express_torus_kind() {
  TopologyKind kind = torus_kind();
  kind.name = "express-torus";
  kind.description = "a torus with cables to the second-next switch in every dimension, too";
  kind.graph = [](const Settings& settings, const SwitchPorts& ports) {
    return topology::express_torus(torus_shape_of(settings, ports));
  };
  kind.routed = {};
  kind.facts = [](const Settings& settings, const SwitchPorts&) {
    return topology::grid_facts(topology::grid_sides(settings));
  };
  kind.grown = grown_grid("express torus");
  return kind;
}

}  // namespace morgana
