#include "emulator/routing/topologies/hyperx_cables.h"

#include <fmt/format.h>

#include "emulator/core/error.h"

namespace morgana {

HyperXCables::HyperXCables(const SwitchGraph& graph, const Grid& grid, const ChannelFilter& usable)
    : sides_(grid.sides) {
  for (const unsigned side : sides_) {
    first_.push_back(lists_);
    strides_.push_back(static_cast<SwitchId>(switches_));
    lists_ += side;
    switches_ *= side;
  }
  if (switches_ != graph.switches())
    throw Error(fmt::format("a HyperX of {} switches does not describe a network of {}", switches_,
                            graph.switches()));
  ports_.resize(switches_ * lists_);
  const Arcs arcs = usable_arcs(graph, usable);
  for (SwitchId at = 0; at < switches_; ++at) {
    for (const Arc& arc : arcs[at])
      for (std::size_t dimension = 0; dimension < dimensions(); ++dimension)
        if (const unsigned to = coordinate(arc.other.at, dimension); to != coordinate(at, dimension))
          ports_[at * lists_ + first_[dimension] + to].push_back(arc.port);
    for (std::size_t dimension = 0; dimension < dimensions(); ++dimension)
      for (unsigned to = 0; to < sides_[dimension]; ++to)
        whole_ = whole_ && (to == coordinate(at, dimension) || !ports(at, dimension, to).empty());
  }
}

}  // namespace morgana
