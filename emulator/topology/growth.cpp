#include "emulator/topology/growth.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "emulator/topology/topology_kind.h"

namespace morgana::topology {
namespace {

std::uint64_t product(const std::vector<unsigned>& numbers, std::size_t count) {
  std::uint64_t result = 1;
  for (std::size_t n = 0; n < count; ++n) result *= numbers[n];
  return result;
}

/// Of so many uplinks, to each top switch: as many as divide them evenly and leave a top switch, within its
/// ports, a place for all its subtrees; 0 if there are none. @param most  of them to one
unsigned cables_to_top(unsigned uplinks, unsigned most, std::uint64_t subtrees, unsigned ports) {
  for (unsigned cables = most; cables > 0; --cables)
    if (uplinks % cables == 0 && cables * subtrees <= ports) return cables;
  return 0;
}

/// Grids with no shorter side than those set, of all that may be built: the one to build for the hosts, and
/// the one with the most switches. Empty: there is none.
class GridSearch {
 public:
  GridSearch(const std::vector<unsigned>& sides, const std::vector<unsigned>& cables, const Growth& growth)
      : least_(sides), cables_(cables), growth_(growth), sides_(sides) {
    std::uint64_t ports = growth.hosts_per_switch;
    for (std::size_t n = 0; n < sides.size(); ++n) ports += std::uint64_t{sides[n] - 1} * cables[n];
    lengthen(0, product(sides, sides.size()), ports);
  }
  const std::vector<unsigned>& chosen() const { return chosen_; }
  const std::vector<unsigned>& largest() const { return largest_; }

 private:
  /// The longest side, switches, and the sum of the sides, which is less the more even they are.
  using Size = std::array<std::uint64_t, 3>;

  /// Tries all lengths of side n and of those after it. Of equal grids the first with the longer sides in
  /// front stays, as it is found last. @param switches, ports  with those sides as they are set
  void lengthen(std::size_t n, std::uint64_t switches, std::uint64_t ports) {
    if (switches > SwitchGraph::most_switches || ports > growth_.ports) return;
    if (n == sides_.size()) {
      keep(switches);
      return;
    }
    const std::uint64_t others = switches / least_[n];
    for (sides_[n] = least_[n]; others * sides_[n] <= SwitchGraph::most_switches; ++sides_[n]) {
      const std::uint64_t used = ports + std::uint64_t{sides_[n] - least_[n]} * cables_[n];
      if (used > growth_.ports || (!chosen_.empty() && sides_[n] > size_[0])) break;
      lengthen(n + 1, others * sides_[n], used);
    }
    sides_[n] = least_[n];
  }

  void keep(std::uint64_t switches) {
    if (switches >= most_) {
      most_ = switches;
      largest_ = sides_;
    }
    if (switches < growth_.switches()) return;
    const Size size{*std::ranges::max_element(sides_), switches,
                    std::accumulate(sides_.begin(), sides_.end(), std::uint64_t{0})};
    if (!chosen_.empty() && size > size_) return;
    chosen_ = sides_;
    size_ = size;
  }

  const std::vector<unsigned>&least_, &cables_;
  const Growth& growth_;
  std::vector<unsigned> sides_, chosen_, largest_;
  Size size_{};
  std::uint64_t most_ = 0;
};

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
        fmt::format(
            "the network for {} {} needs switches of {} ports, and network.grows-within allows {}: set "
            "at least {}",
            growth.hosts, growth.hosts == 1 ? "host" : "hosts", used, growth.ports, used));
}

XgftShape grown_tree(XgftShape shape, const Growth& growth, const std::string& name,
                     std::size_t most_levels) {
  if (shape.children.empty()) throw_outgrown(growth, fmt::format("a {} of one switch", name), 1);
  require_ports(growth, growth.hosts_per_switch + shape.parents.front() * shape.cables.front());
  const std::uint64_t leaves = growth.switches();
  unsigned most_cables = shape.cables.back();  // no top switch that there is becomes superfluous
  while (true) {
    const std::size_t top = shape.children.size() - 1;
    const std::uint64_t below = product(shape.children, top), subtrees = (leaves + below - 1) / below;
    const unsigned uplinks = shape.parents[top] * shape.cables[top];
    if (const unsigned cables = cables_to_top(uplinks, most_cables, subtrees, growth.ports); cables > 0) {
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
    most_cables = half;
  }
}

std::vector<unsigned> grown_sides(const std::vector<unsigned>& sides, const std::vector<unsigned>& cables,
                                  const Growth& growth, const std::string& name) {
  if (sides.empty()) throw_outgrown(growth, fmt::format("a {} of one switch", name), 1);
  const GridSearch search(sides, cables, growth);
  if (!search.chosen().empty()) return search.chosen();
  const std::vector<unsigned>& largest = search.largest().empty() ? sides : search.largest();
  throw_outgrown(growth, fmt::format("a {} of {} switches", name, fmt::join(largest, " x ")),
                 product(largest, largest.size()));
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
