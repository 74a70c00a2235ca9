#include "emulator/topology/growth.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "emulator/topology/topology_kind.h"

namespace morgana::topology {
namespace {

std::uint64_t product(const std::vector<unsigned>& numbers, std::size_t count) {
  std::uint64_t result = 1;
  for (std::size_t n = 0; n < count; ++n) result *= numbers[n];
  return result;
}

/// Of so many uplinks, to each top switch: as many as divide them evenly and leave a top switch, within its
/// ports, a place for all its subtrees; 0 if there are none.
unsigned cables_to_top(unsigned uplinks, std::uint64_t subtrees, unsigned ports) {
  for (unsigned cables = uplinks; cables > 0; --cables)
    if (uplinks % cables == 0 && cables * subtrees <= ports) return cables;
  return 0;
}

unsigned ports_of_switch(const std::vector<unsigned>& sides, const std::vector<unsigned>& cables,
                         unsigned hosts) {
  unsigned ports = hosts;
  for (std::size_t n = 0; n < sides.size(); ++n) ports += (sides[n] - 1) * cables[n];
  return ports;
}

}  // namespace

void throw_outgrown(const Growth& growth, const std::string& largest, std::uint64_t switches) {
  throw TopologyError(
      "hosts.count",
      fmt::format("{} hosts don't fit: the largest network of such switches, of {} ports, is {} "
                  "with ports for {}",
                  growth.hosts, growth.ports, largest, switches * growth.hosts_per_switch));
}

void require_ports(const Growth& growth, std::uint64_t used) {
  if (used > growth.ports)
    throw TopologyError(
        "network.grows-within",
        fmt::format("a switch of the network for {} hosts has {} ports in use, and may use {}", growth.hosts,
                    used, growth.ports));
}

XgftShape grown_tree(XgftShape shape, const Growth& growth, const std::string& name,
                     std::size_t most_levels) {
  if (shape.children.empty()) throw_outgrown(growth, fmt::format("a {} of one switch", name), 1);
  require_ports(growth, growth.hosts_per_switch + shape.parents.front() * shape.cables.front());
  const std::uint64_t leaves = growth.switches();
  while (true) {
    const std::size_t top = shape.children.size() - 1;
    const std::uint64_t below = product(shape.children, top), subtrees = (leaves + below - 1) / below;
    const unsigned uplinks = shape.parents[top] * shape.cables[top];
    if (const unsigned cables = cables_to_top(uplinks, subtrees, growth.ports); cables > 0) {
      shape.children[top] = static_cast<unsigned>(subtrees);
      shape.parents[top] = uplinks / cables;
      shape.cables[top] = cables;
      return shape;
    }
    const unsigned half = growth.ports / 2;
    if (shape.children.size() + 1 >= most_levels || half < 2)
      throw_outgrown(growth, fmt::format("a {} of {} levels", name, shape.children.size() + 1),
                     below * growth.ports);
    shape.children[top] = half;
    shape.parents[top] = uplinks;
    shape.cables[top] = 1;
    shape.children.push_back(1);
    shape.parents.push_back(half);
    shape.cables.push_back(1);
  }
}

std::vector<unsigned> grown_sides(std::vector<unsigned> sides, const std::vector<unsigned>& cables,
                                  const Growth& growth, const std::string& name) {
  if (sides.empty()) throw_outgrown(growth, fmt::format("a {} of one switch", name), 1);
  while (product(sides, sides.size()) < growth.switches()) {
    std::vector<unsigned> longer = sides;
    ++*std::ranges::min_element(longer);
    const bool fits = ports_of_switch(longer, cables, growth.hosts_per_switch) <= growth.ports;
    if (!fits || product(longer, longer.size()) > SwitchGraph::most_switches)
      throw_outgrown(growth, fmt::format("a {} of {} switches", name, fmt::join(sides, " x ")),
                     product(sides, sides.size()));
    sides = std::move(longer);
  }
  return sides;
}

unsigned grown_groups(const Growth& growth, unsigned switches, std::uint64_t most, const std::string& name) {
  const std::uint64_t groups = (growth.switches() + switches - 1) / switches;
  if (groups > most) throw_outgrown(growth, fmt::format("a {} of {} groups", name, most), most * switches);
  return static_cast<unsigned>(groups);
}

std::string list_text(const std::vector<unsigned>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ", "));
}

}  // namespace morgana::topology
