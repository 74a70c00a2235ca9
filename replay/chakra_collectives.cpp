#include "replay/chakra_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "emulator/collectives/algorithm_choice.h"
#include "emulator/collectives/nccl/nccl_tuner.h"
#include "emulator/core/error.h"
#include "emulator/messaging/machine.h"
#include "emulator/report/readable.h"

namespace morgana {
namespace {

using chakra::CollectiveType;

/// Below it are the trace's own tags.
constexpr std::uint32_t first_collective_tag = std::uint32_t{1} << 30;
constexpr std::uint32_t last_collective_tag = (std::uint32_t{1} << 31) - 1;

/// Those that NCCL's rings, trees and exchanges carry out; a barrier is a short all-reduce.
std::optional<MeasuredCollective> graph_kind(CollectiveType type) {
  switch (type) {
    case CollectiveType::all_reduce:
    case CollectiveType::barrier:
      return MeasuredCollective::all_reduce;
    case CollectiveType::reduce:
      return MeasuredCollective::reduce;
    case CollectiveType::all_gather:
      return MeasuredCollective::all_gather;
    case CollectiveType::broadcast:
      return MeasuredCollective::broadcast;
    case CollectiveType::all_to_all:
      return MeasuredCollective::all_to_all;
    case CollectiveType::reduce_scatter:
    case CollectiveType::reduce_scatter_block:
      return MeasuredCollective::reduce_scatter;
    case CollectiveType::gather:
    case CollectiveType::scatter:
      break;
  }
  return std::nullopt;
}

/// Of nccl-tests' busbw, whose size of an all-gather is what a rank ends with; 0 where it is not defined.
double bus_bytes(const chakra::Collective& collective, std::size_t members) {
  const auto kind = graph_kind(collective.type);
  if (!kind || collective.type == CollectiveType::barrier) return 0;
  const double all = kind == MeasuredCollective::all_gather ? static_cast<double>(members) : 1;
  return static_cast<double>(collective.bytes) * all * bus_factor(*kind, members);
}

CollectiveKind mpi_kind(CollectiveType type) {
  switch (type) {
    case CollectiveType::all_reduce:
      return CollectiveKind::allreduce;
    case CollectiveType::reduce:
      return CollectiveKind::reduce;
    case CollectiveType::all_gather:
      return CollectiveKind::allgather;
    case CollectiveType::gather:
      return CollectiveKind::gather;
    case CollectiveType::scatter:
      return CollectiveKind::scatter;
    case CollectiveType::broadcast:
      return CollectiveKind::broadcast;
    case CollectiveType::all_to_all:
      return CollectiveKind::alltoall;
    case CollectiveType::reduce_scatter:
    case CollectiveType::reduce_scatter_block:
      return CollectiveKind::reduce_scatter_block;
    case CollectiveType::barrier:
      break;
  }
  return CollectiveKind::barrier;
}

/// Of what a rank begins with, the block for each member; at least an element.
std::int64_t block_of(std::int64_t bytes, std::size_t members) {
  const auto n = static_cast<std::int64_t>(members);
  const std::int64_t element = measured_element.count();
  return std::max(element, (bytes / n + element - 1) / element * element);
}

}  // namespace

ChakraCollectives::ChakraCollectives(const Platform& platform, const Placement& placement, std::uint64_t seed,
                                     const chakra::Trace& trace)
    : platform_(platform),
      placement_(placement),
      seed_(seed),
      trace_(trace),
      nccl_(platform.collective_library() == CollectiveLibrary::nccl),
      parameters_(platform.nccl()),
      groups_(trace.groups.size()) {
  if (parameters_.tuner && !nccl_) refuse_tuner(*parameters_.tuner);
  const Machine machine = platform.build(trace.ranks.size(), placement, seed);
  messages_ = machine.messages;
  tuning_ = machine.collectives;
  if (nccl_) places_ = places_of_gpus(platform, placement, seed, trace.ranks.size());
  std::uint32_t next_tag = first_collective_tag;
  for (std::uint32_t group = 0; group < trace.groups.size(); ++group) prepare(group, next_tag);
}

void ChakraCollectives::prepare(std::uint32_t number, std::uint32_t& next_tag) {
  OfGroup& group = groups_[number];
  const std::vector<chakra::Collective>& collectives = trace_.collectives[number];
  if (collectives.empty()) return;
  for (const std::int32_t member : trace_.groups[number].members) group.members.push_back(Rank{member});
  std::uint32_t streams = 1;
  if (nccl_ && group.members.size() > 1) {
    std::ranges::sort(group.members);
    // Nodes in the order of their first ranks, as NCCL has them.
    std::map<std::int64_t, Rank> first_of_node;
    for (const Rank rank : group.members) first_of_node.try_emplace(node_of(rank), rank);
    std::ranges::stable_sort(group.members, {}, [&](Rank rank) { return first_of_node.at(node_of(rank)); });
    group.layout = layout_of(group.members);
    measure_links(group);
    find_units(group);
    bool by_switches = false;
    for (const chakra::Collective& one : collectives) {
      if (!by_graph(one.type)) continue;
      const nccl::Plan plan = plan_for(group, one);
      if (plan.units && !moves_nothing(group, one)) by_switches = true;
      group.cpus = std::max(group.cpus, cpus_of(plan));
      streams = std::max(streams, streams_of(plan));
    }
    group.all = group.members;
    if (by_switches) give_ranks_to_units(group);
  }
  for (const chakra::Collective& one : collectives) {
    std::uint32_t& way_number = group.ways.emplace_back(0);
    if (moves_nothing(group, one)) continue;
    std::string way = fmt::format("{} of {} on {} ranks by {}", chakra::name_of(one.type),
                                  readable(Bytes(one.bytes)), group.members.size(), way_of(group, one));
    const auto known = std::ranges::find(ways_, way, &Way::text);
    way_number = static_cast<std::uint32_t>(known - ways_.begin());
    if (known == ways_.end()) ways_.push_back({std::move(way), bus_bytes(one, group.members.size())});
  }
  group.first_tag = next_tag;
  if (last_collective_tag - next_tag < streams)
    throw Error(fmt::format("{}: its process groups are too many: run fewer ranks", trace_.name.string()));
  next_tag += streams;
}

/// Of a group that lies evenly on nodes, each GPU a host.
void ChakraCollectives::find_units(OfGroup& group) {
  std::vector<HostId> hosts;
  std::vector<std::int64_t> nodes;
  for (const Rank member : group.members) {
    hosts.push_back(places_.hosts[index(member)]);
    nodes.push_back(node_of(member));
  }
  if (places_.host_each && nccl::layout_on(nodes, group.layout.rails))
    group.units = units_of_group(platform_, parameters_, hosts, group.layout);
}

/// Groups share a switch's unit, but for those of which one group has several in a switch.
void ChakraCollectives::give_ranks_to_units(OfGroup& group) {
  std::vector<bool> taken(switches_.size());
  for (const SwitchId at : group.units.at) {
    std::size_t unit = 0;
    while (unit < switches_.size() && (switches_[unit] != at || taken[unit])) ++unit;
    if (unit == switches_.size()) {
      switches_.push_back(at);
      taken.push_back(false);
    }
    taken[unit] = true;
    group.all.push_back(Rank{static_cast<std::int32_t>(trace_.ranks.size() + unit)});
  }
}

/// A group's collectives follow each other in a switch, too. It has done its part of one before any GPU has.
RankGraph ChakraCollectives::graph_of_switch(std::size_t unit, RankGraphBuilder& builder) const {
  const Rank rank{static_cast<std::int32_t>(trace_.ranks.size() + unit)};
  std::uint32_t cpu = 0;
  std::vector<std::uint32_t> last;
  for (std::uint32_t number = 0; number < groups_.size(); ++number) {
    const OfGroup& group = groups_[number];
    const auto own = std::ranges::find(group.all, rank);
    if (own == group.all.end()) continue;
    if (group.cpus > most_graph_cpus - cpu)
      throw Error(
          fmt::format("{}: its process groups take more than {} workers of switch {}: lower "
                      "nccl.rails or nccl.slices",
                      trace_.name.string(), most_graph_cpus, switches_[unit]));
    const auto add_fence = [&] {
      GraphNode fence;
      fence.cpu = static_cast<std::uint16_t>(cpu);
      builder.add(fence);
      for (const std::uint32_t one : last) builder.require(builder.size() - 1, one, false);
      return builder.size() - 1;
    };
    last.clear();
    for (const chakra::Collective& one : trace_.collectives[number]) {
      if (moves_nothing(group, one) || !by_graph(one.type)) continue;
      const nccl::Plan plan = plan_for(group, one);
      if (!plan.units) continue;
      CollectivePlace place;
      place.members = group.all;
      place.member = static_cast<int>(own - group.all.begin());
      place.first_cpu = cpu;
      place.first_tag = group.first_tag;
      place.after = add_fence();
      add_collective(plan, parameters_, place, builder, last);
      if (last.empty()) last.push_back(place.after);
    }
    cpu += group.cpus;
  }
  return builder.finish();
}

bool ChakraCollectives::by_graph(CollectiveType type) const {
  return nccl_ && graph_kind(type).has_value();
}

/// A group whose ranks lie evenly on nodes has as many GPUs on each; others are laid out as if each of their
/// GPUs had a node of its own.
nccl::GpuLayout ChakraCollectives::layout_of(const std::vector<Rank>& members) const {
  std::vector<std::int64_t> nodes;
  for (const Rank member : members) nodes.push_back(node_of(member));
  const int rails = static_cast<int>(parameters_.rails_of_node());
  if (const auto even = nccl::layout_on(nodes, rails)) return *even;
  return {static_cast<int>(members.size()), 1, 1, true};
}

const MeasuredLink& ChakraCollectives::link(std::optional<MeasuredLink>& known, Rank from, Rank to) const {
  if (!known)
    known = measure_link(platform_, placement_, seed_, trace_.ranks.size(), static_cast<std::int32_t>(from),
                         static_cast<std::int32_t>(to));
  return *known;
}

void ChakraCollectives::measure_links(OfGroup& group) {
  const nccl::GpuLayout& layout = group.layout;
  const bool several = layout.nodes() > 1;
  const Rank first = group.members.front();
  // An uneven group has others of the first one's node behind it, too.
  const auto other =
      std::ranges::find_if(group.members, [&](Rank rank) { return node_of(rank) != node_of(first); });
  const MeasuredLink far =
      several && other != group.members.end() ? link(far_, first, *other) : MeasuredLink{};
  const MeasuredLink near = layout.gpus() > 1 ? link(near_, first, group.members[1]) : far;
  group.rates.scale_up = near.rate;
  group.rates.scale_up_latency = near.latency;
  group.rates.rail = several ? far.rate : near.rate;
  group.rates.rail_latency = several ? far.latency : near.latency;
}

nccl::Plan ChakraCollectives::plan_for(const OfGroup& group, const chakra::Collective& collective) const {
  nccl::Plan plan;
  plan.collective = *graph_kind(collective.type);
  const std::int64_t n = group.layout.ranks;
  const std::int64_t element = measured_element.count();
  if (plan.collective == MeasuredCollective::all_gather)
    plan.bytes = n * ((collective.bytes + element - 1) / element * element);
  else if (has_blocks(plan.collective))
    plan.bytes = n * block_of(collective.bytes, group.members.size());
  else
    plan.bytes = std::max(collective.bytes, element);
  plan.layout = group.layout;
  plan.slices = static_cast<int>(parameters_.slices);
  plan.root =
      static_cast<int>(std::ranges::find(group.members, Rank{collective.root}) - group.members.begin());
  const nccl::Choice choice =
      nccl::chosen(plan.collective, {}, {}, plan.bytes, plan.layout, group.rates, parameters_);
  plan.algorithm = choice.algorithm;
  plan.protocol = choice.protocol;
  plan.channels = static_cast<int>(choice.channels_of(parameters_, group.layout.nodes()));
  if (!is_in_network(plan.algorithm)) return plan;
  plan.units = group.units.units;
  plan.nvls_is_slow = nccl::estimates_slow_nvls(group.layout, group.rates, parameters_);
  return plan;
}

void ChakraCollectives::add(const chakra::Collective& collective, Rank rank, CollectivePlace place,
                            RankGraphBuilder& builder, std::vector<std::uint32_t>& last) {
  last.clear();
  const OfGroup& group = groups_[collective.group];
  if (moves_nothing(group, collective)) return;
  place.members = nccl_ ? group.all : group.members;
  place.first_tag = group.first_tag;
  place.member = static_cast<int>(std::ranges::find(group.members, rank) - group.members.begin());
  if (by_graph(collective.type))
    return add_collective(plan_for(group, collective), parameters_, place, builder, last);
  if (nccl_)
    make_linear_steps(group, collective, place.member);
  else
    make_steps(group, collective, place.member);
  add_steps(group, place, builder, last);
}

CollectivePart ChakraCollectives::part_of(const OfGroup& group, const chakra::Collective& collective) const {
  CollectivePart part;
  part.kind = mpi_kind(collective.type);
  part.root = static_cast<std::int32_t>(std::ranges::find(group.members, Rank{collective.root}) -
                                        group.members.begin());
  part.element = measured_element;
  const bool per_member = collective.type == CollectiveType::scatter ||
                          collective.type == CollectiveType::all_to_all ||
                          collective.type == CollectiveType::reduce_scatter ||
                          collective.type == CollectiveType::reduce_scatter_block;
  part.bytes = Bytes(per_member ? block_of(collective.bytes, group.members.size()) : collective.bytes);
  return part;
}

void ChakraCollectives::make_steps(const OfGroup& group, const chakra::Collective& collective,
                                   std::int32_t member) {
  make_schedule(part_of(group, collective), static_cast<std::int32_t>(group.members.size()), member, tuning_,
                schedule_);
}

std::string ChakraCollectives::way_of(const OfGroup& group, const chakra::Collective& collective) const {
  if (by_graph(collective.type)) {
    const nccl::Plan plan = plan_for(group, collective);
    return fmt::format("{} {}", nccl::name_of(plan.algorithm), nccl::name_of(plan.protocol));
  }
  if (nccl_) return "sends and receives";
  return std::string(
      algorithm_of(part_of(group, collective), static_cast<std::int32_t>(group.members.size()), tuning_));
}

/// NCCL has neither: they are sends and receives that start together.
void ChakraCollectives::make_linear_steps(const OfGroup& group, const chakra::Collective& collective,
                                          std::int32_t member) {
  schedule_.clear();
  const bool gathers = collective.type == CollectiveType::gather;
  const Bytes bytes(gathers ? collective.bytes : block_of(collective.bytes, group.members.size()));
  const auto root = static_cast<std::int32_t>(std::ranges::find(group.members, Rank{collective.root}) -
                                              group.members.begin());
  const auto own = gathers ? ScheduleStep::Kind::send : ScheduleStep::Kind::receive;
  const auto roots = gathers ? ScheduleStep::Kind::receive : ScheduleStep::Kind::send;
  if (member != root) {
    schedule_.push_back({own, root, bytes});
    return;
  }
  for (std::int32_t peer = 0; std::cmp_less(peer, group.members.size()); ++peer)
    if (peer != root) schedule_.push_back({roots, peer, bytes});
}

/// On one CPU, as CollectiveRunner does it.
void ChakraCollectives::add_steps(const OfGroup& group, const CollectivePlace& place,
                                  RankGraphBuilder& builder, std::vector<std::uint32_t>& last) const {
  std::uint32_t before = place.after;
  const auto add_node = [&](GraphNode::Kind kind, std::int64_t amount) {
    GraphNode node;
    node.kind = kind;
    node.amount = amount;
    node.cpu = static_cast<std::uint16_t>(place.first_cpu);
    builder.add(node);
    builder.require(builder.size() - 1, before, false);
    return builder.size() - 1;
  };
  if (nccl_)
    before = add_node(
        GraphNode::Kind::compute,
        (parameters_.launch + parameters_.costs_of(nccl::Algorithm::ring, nccl::Protocol::simple).start)
            .ps());
  for (const ScheduleStep& step : schedule_) {
    switch (step.kind) {
      case ScheduleStep::Kind::send:
      case ScheduleStep::Kind::receive: {
        const std::uint32_t number =
            add_node(step.kind == ScheduleStep::Kind::send ? GraphNode::Kind::send : GraphNode::Kind::receive,
                     step.bytes.count());
        builder.node(number).peer = group.members[static_cast<std::size_t>(step.peer)];
        builder.node(number).tag = Tag{static_cast<std::int32_t>(place.first_tag)};
        last.push_back(number);
        break;
      }
      case ScheduleStep::Kind::reduce:
        last.push_back(
            add_node(GraphNode::Kind::compute, messages_.reduce_per_byte.time_for(step.bytes).ps()));
        break;
      case ScheduleStep::Kind::copy:
        last.push_back(add_node(GraphNode::Kind::compute, messages_.own_copy().time_for(step.bytes).ps()));
        break;
      case ScheduleStep::Kind::fence: {
        const std::uint32_t fence = add_node(GraphNode::Kind::compute, 0);
        for (const std::uint32_t one : last) builder.require(fence, one, false);
        last.clear();
        before = fence;
        break;
      }
    }
  }
  if (last.empty() && before != place.after) last.push_back(before);
}

}  // namespace morgana
