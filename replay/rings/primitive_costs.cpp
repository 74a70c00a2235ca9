#include "replay/rings/primitive_costs.h"

namespace morgana {

PrimitiveCosts::PrimitiveCosts(const nccl::Plan& plan, const nccl::Parameters& parameters)
    : plan_(plan),
      parameters_(parameters),
      costs_(parameters.costs_of(plan.algorithm, plan.protocol)),
      per_byte_(plan.layout.nodes() > 1 ? costs_.network_per_byte : costs_.per_byte),
      // The two ways of a tree, and of an exchange, have per_byte each for themselves. In networks that add
      // up, what limits it is in the links alone.
      sharing_(is_in_network(plan.algorithm) ? 1 : nccl::lanes_of(plan) * nccl::slices_of(plan)) {}

SimTime PrimitiveCosts::hop(int rank, int to) const {
  if (is_unit(rank)) return SimTime();
  const bool within_node = is_unit(to) ? is_unit_of_node(to) : plan_.layout.share_node(rank, to);
  return within_node ? costs_.hop : costs_.network_hop;
}

SimTime PrimitiveCosts::data(Bytes bytes, bool sends, bool adds) const {
  const Bytes worked = bytes * sharing_;
  SimTime time;
  if (sends) time += per_byte_.time_for(worked);
  if (adds) time += parameters_.reduce_per_byte.time_for(worked);
  return time;
}

}  // namespace morgana
