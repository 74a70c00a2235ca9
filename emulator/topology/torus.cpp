#include "emulator/topology/torus.h"

#include <fmt/format.h>

#include "emulator/core/error.h"
#include "emulator/topology/hosts.h"
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
  std::size_t switches = 1;
  for (const unsigned side : shape.sides) {
    if (side == 0)
      throw Error(fmt::format("a {} with a side of 0 switches: every side takes at least 1", name));
    switches *= side;
    if (switches > SwitchGraph::most_switches) {
      throw Error(fmt::format("a {} of more than {} switches: make its sides shorter", name,
                              SwitchGraph::most_switches));
    }
  }
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

}  // namespace topology

namespace {

struct Sides {
  std::uint32_t columns = 8, rows = 8, planes = 1;
};

const Table<Sides>& sides_table() {
  const Limits limits{.at_least = "1", .at_most = "1024"};
  static const auto table = Table<Sides>("network")
                                .key("columns", &Sides::columns, "of a torus or mesh", limits)
                                .key("rows", &Sides::rows, "of a torus or mesh", limits)
                                .key("planes", &Sides::planes, "of a torus or mesh", limits);
  return table;
}

topology::TorusShape shape_of(const Settings& settings, const SwitchPorts& ports) {
  const Sides sides = sides_table().read(settings);
  topology::TorusShape shape;
  shape.sides = {sides.columns, sides.rows, sides.planes};
  shape.hosts_per_switch = ports.hosts;
  shape.ports_per_switch = ports.ports;
  return shape;
}

NetworkShape drawn(const Settings& settings, std::size_t) {
  return {NetworkShape::Kind::grid, sides_table().read(settings).columns};
}

/// What dimension-order routes go by.
std::function<Grid(const Settings&)> grid_of(bool wraps) {
  return [wraps](const Settings& settings) {
    const Sides sides = sides_table().read(settings);
    return Grid{{sides.columns, sides.rows, sides.planes}, wraps};
  };
}

}  // namespace

TopologyKind torus_kind() {
  return {
      "torus",
      "`columns` x `rows` x `planes` switches, each joined to the next in every dimension and the last to "
      "the first; hosts on all of them",
      sides_table().keys(),
      "network.columns",
      [](const Settings& settings, const SwitchPorts& ports) {
        return topology::torus(shape_of(settings, ports));
      },
      drawn,
      grid_of(true)};
}

TopologyKind mesh_kind() {
  return {"mesh",
          "a torus without the cables from the last switch of a dimension to the first",
          sides_table().keys(),
          "network.columns",
          [](const Settings& settings, const SwitchPorts& ports) {
            return topology::mesh(shape_of(settings, ports));
          },
          drawn,
          grid_of(false)};
}

TopologyKind express_torus_kind() {
  return {"express-torus",
          "a torus with cables to the second-next switch in every dimension, too",
          sides_table().keys(),
          "network.columns",
          [](const Settings& settings, const SwitchPorts& ports) {
            return topology::express_torus(shape_of(settings, ports));
          },
          drawn};
}

}  // namespace morgana
