#include "replay/chakra_graph.h"

#include <fmt/format.h>
#include <tsl/robin_map.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "emulator/collectives/tuning.h"
#include "emulator/core/error.h"
#include "emulator/core/event_queue.h"
#include "replay/chakra_collectives.h"
#include "replay/compute_variation.h"

namespace morgana {
namespace {

using chakra::Node;
using chakra::NodeType;

/// What a node holds while it works.
enum class Holds : std::uint8_t { cpu, gpu, network };

Holds held_by(const Node& node) {
  if (node.type == NodeType::send || node.type == NodeType::receive) return Holds::network;
  return node.on_cpu ? Holds::cpu : Holds::gpu;
}

bool computes(const Node& node) {
  return node.type == NodeType::compute || node.type == NodeType::memory_load ||
         node.type == NodeType::memory_store;
}

bool computes_on_gpu(const Node& node) {
  return computes(node) && !node.on_cpu;
}

class ChakraGraph {
 public:
  ChakraGraph(const chakra::Trace& trace, const Platform& platform, const Placement& placement,
              std::uint64_t seed, ComputeTimes* times)
      : trace_(trace),
        platform_(platform),
        roofline_(platform.roofline()),
        scale_(platform.compute_scale()),
        collectives_(platform, placement, seed, trace),
        times_(times),
        done_(trace.groups.size()) {
    std::uint32_t next = 0;
    for (const auto& of_group : trace.collectives) {
      first_collective_.push_back(next);
      next += static_cast<std::uint32_t>(of_group.size());
    }
    first_collective_.push_back(next);
  }

  /// @param begins  gets the first node of each of the trace's @param roles  may be null
  RankGraph build(std::size_t rank, std::vector<std::uint32_t>& begins, ExecutionRoles::OfRank* roles) {
    rank_ = rank;
    roles_ = roles;
    const chakra::RankTrace& own = trace_.ranks[rank];
    number_cpus(own);
    on_gpu_ = std::ranges::any_of(own.nodes, computes_on_gpu);
    last_of_group_.clear();
    last_of_stream_.clear();
    std::ranges::fill(done_, 0);
    ends_.clear();
    begins.clear();
    for (const Node& node : own.nodes) {
      begins.push_back(builder_.size());
      ends_.push_back(node.type == NodeType::collective ? add_collective_node(own, node)
                                                        : add_plain(own, node));
    }
    return builder_.finish();
  }
  bool takes_time() const { return takes_time_; }
  const std::vector<SwitchId>& switches() const { return collectives_.switches(); }
  RankGraph build_switch(std::size_t unit) { return collectives_.graph_of_switch(unit, builder_); }
  /// All but what ranks do.
  void describe_collectives(ExecutionRoles& roles) const {
    for (const ChakraCollectives::Way& way : collectives_.ways())
      roles.kinds.push_back({way.text, way.bus_bytes});
    for (std::uint32_t group = 0; group < trace_.groups.size(); ++group)
      for (std::size_t place = 0; place < trace_.collectives[group].size(); ++place)
        roles.collectives.push_back({collectives_.way_of(group, place),
                                     static_cast<std::uint32_t>(trace_.groups[group].members.size())});
  }
  /// Where collectives of GPUs are carried out by a library of CPUs that nobody has asked for; else empty.
  std::string notice() const {
    if (platform_.collective_library() != CollectiveLibrary::automatic) return {};
    std::size_t all = 0, of_gpus = 0;
    for (const chakra::RankTrace& rank : trace_.ranks)
      for (const Node& node : rank.nodes) {
        if (node.type != NodeType::collective || trace_.groups[node.group].members.size() < 2) continue;
        ++all;
        if (!node.on_cpu) ++of_gpus;
      }
    if (of_gpus == 0) return {};
    return fmt::format(
        "{} of the trace's {} collectives are GPUs' (is_cpu_op is not set), but {} leaves their library open "
        "(collectives.library=auto): they run by MPICH's algorithms, a CPU adds up "
        "(messages.reduce-per-byte); --set collectives.library=nccl takes NCCL's, --set "
        "collectives.library=mpich keeps these without a note",
        of_gpus, all, platform_.name());
  }

 private:
  /// CPUs, GPU streams, then those that messages and collectives have.
  void number_cpus(const chakra::RankTrace& own) {
    cpus_.clear();
    group_cpus_.clear();
    std::uint32_t next = 0;
    for (const Node& node : own.nodes)
      if (node.type != NodeType::collective) cpus_.emplace(std::pair(held_by(node), node.stream), 0);
    for (auto& [what, number] : cpus_) number = next++;
    for (const Node& node : own.nodes) {
      if (node.type != NodeType::collective || group_cpus_.contains(node.group)) continue;
      group_cpus_.emplace(node.group, next);
      next += collectives_.cpus(node.group);
    }
    if (next > most_graph_cpus)
      throw Error(fmt::format("{}: its streams and process groups take more than {} workers of a GPU{}",
                              own.file.string(), most_graph_cpus,
                              group_cpus_.empty() ? "" : ": lower nccl.rails or nccl.slices"));
  }

  std::uint32_t add_node(GraphNode::Kind kind, std::uint32_t cpu, std::int64_t amount) {
    GraphNode node;
    node.kind = kind;
    node.cpu = static_cast<std::uint16_t>(cpu);
    node.amount = amount;
    builder_.add(node);
    if (amount > 0 || kind != GraphNode::Kind::compute) takes_time_ = true;
    return builder_.size() - 1;
  }

  void require_needs(const chakra::RankTrace& own, const Node& node, std::uint32_t number) {
    for (const std::uint32_t need : own.needs_of(node)) builder_.require(number, ends_[need], false);
  }

  std::uint32_t add_plain(const chakra::RankTrace& own, const Node& node) {
    const std::uint32_t cpu = cpus_.at(std::pair(held_by(node), node.stream));
    std::uint32_t number = 0;
    if (node.type == NodeType::send || node.type == NodeType::receive) {
      number = add_node(node.type == NodeType::send ? GraphNode::Kind::send : GraphNode::Kind::receive, cpu,
                        node.bytes);
      builder_.node(number).peer = Rank{node.peer};
      builder_.node(number).tag = Tag{static_cast<std::int32_t>(node.tag)};
    } else {
      number = add_node(GraphNode::Kind::compute, cpu,
                        node.type == NodeType::metadata ? 0 : varied(own, node, picoseconds_of(own, node)));
    }
    require_needs(own, node, number);
    if (node.type == NodeType::send || node.type == NodeType::receive)
      mark(number, ExecutionRoles::Role::message);
    else if (computes(node) && (!on_gpu_ || !node.on_cpu))
      mark(number, ExecutionRoles::Role::computes);
    return number;
  }

  void mark(std::uint32_t number, ExecutionRoles::Role role) {
    if (roles_ == nullptr) return;
    roles_->nodes.resize(number + 1, ExecutionRoles::Role::none);
    roles_->nodes[number] = role;
  }

  /// A node that begins it, what it does, and a node that ends it.
  std::uint32_t add_collective_node(const chakra::RankTrace& own, const Node& node) {
    const std::uint32_t cpu = group_cpus_.at(node.group);
    const std::uint32_t begin = add_node(GraphNode::Kind::compute, cpu, 0);
    require_needs(own, node, begin);
    wait_for_last(last_of_group_, node.group, begin);
    if (node.stream != chakra::no_stream) wait_for_last(last_of_stream_, node.stream, begin);
    const std::size_t i = done_[node.group]++;
    const chakra::Collective& collective = trace_.collectives[node.group][i];
    CollectivePlace place;
    place.first_cpu = cpu;
    place.after = begin;
    collectives_.add(collective, Rank{static_cast<std::int32_t>(rank_)}, place, builder_, last_);
    std::uint32_t end = begin;
    if (!last_.empty()) {
      takes_time_ = true;
      end = add_node(GraphNode::Kind::compute, cpu, 0);
      for (const std::uint32_t one : last_) builder_.require(end, one, false);
      mark_collective(begin, end, first_collective_[node.group] + static_cast<std::uint32_t>(i));
    }
    last_of_group_[node.group] = end;
    if (node.stream != chakra::no_stream) last_of_stream_[node.stream] = end;
    return end;
  }

  void mark_collective(std::uint32_t begin, std::uint32_t end, std::uint32_t collective) {
    if (roles_ == nullptr) return;
    mark(begin, ExecutionRoles::Role::enters);
    mark(end, ExecutionRoles::Role::leaves);
    roles_->enters.push_back(begin);
    roles_->leaves.push_back(end);
    roles_->collectives.push_back(collective);
  }

  template <class Map, class Key>
  void wait_for_last(const Map& last, const Key& key, std::uint32_t begin) {
    if (const auto found = last.find(key); found != last.end()) builder_.require(begin, found->second, false);
  }

  std::int64_t varied(const chakra::RankTrace& own, const Node& node, std::int64_t ps) {
    if (times_ == nullptr) return ps;
    const auto number = static_cast<std::uint64_t>(&node - own.nodes.data());
    return times_->of(Rank{static_cast<std::int32_t>(rank_)}, number, SimTime::from_ps(ps)).ps();
  }

  std::int64_t picoseconds_of(const chakra::RankTrace& own, const Node& node) const {
    constexpr long double ps_per_us = 1'000'000, ps_per_second = 1e12L;
    if (node.microseconds > 0)
      return whole_ps(own, node, static_cast<long double>(node.microseconds) * ps_per_us * scale_);
    long double seconds = 0;
    const bool computes = node.type == NodeType::compute;
    if (computes && node.operations == 0) return 0;  // a launch, or what took less than 1 us
    if (computes) {
      if (roofline_.tflops == 0) refuse(own, node, "num_ops", "hosts.peak-tflops, such as \"989\"");
      seconds =
          static_cast<long double>(node.operations) / (static_cast<long double>(roofline_.tflops) * 1e12L);
    }
    if (node.bytes > 0) {
      if (roofline_.bytes_per_second == 0)
        refuse(own, node, "tensor_size", "hosts.memory-rate, such as \"3350 GB/s\"");
      seconds = std::max(seconds, static_cast<long double>(node.bytes) /
                                      static_cast<long double>(roofline_.bytes_per_second));
    }
    return whole_ps(own, node, seconds * ps_per_second);
  }

  std::int64_t whole_ps(const chakra::RankTrace& own, const Node& node, long double ps) const {
    if (ps > static_cast<long double>(EventQueue::latest.ps()))
      throw Error(fmt::format("{}: it takes longer than simulated time lasts", where(own, node)));
    return std::llround(ps);
  }

  [[noreturn]] void refuse(const chakra::RankTrace& own, const Node& node, const char* has,
                           const char* key) const {
    throw Error(
        fmt::format("{}: it has {} and no duration_micros, and {} does not say how fast that is: set {}",
                    where(own, node), has, platform_.name(), key));
  }

  const chakra::Trace& trace_;
  const Platform& platform_;
  Platform::Roofline roofline_;
  long double scale_;
  ChakraCollectives collectives_;
  ComputeTimes* times_;                          // may be null
  std::vector<std::uint32_t> first_collective_;  ///< by group, among those of all; then how many there are
  bool takes_time_ = false;
  RankGraphBuilder builder_;
  // Of the rank that is being built:
  std::size_t rank_ = 0;
  ExecutionRoles::OfRank* roles_ = nullptr;  // may be null
  bool on_gpu_ = false;                      ///< it has a GPU, whose computing counts
  std::map<std::pair<Holds, std::int64_t>, std::uint32_t> cpus_;
  tsl::robin_map<std::uint32_t, std::uint32_t> group_cpus_, last_of_group_;
  tsl::robin_map<std::int64_t, std::uint32_t> last_of_stream_;
  std::vector<std::size_t> done_;    ///< by group: its collectives that this rank has entered
  std::vector<std::uint32_t> ends_;  ///< by node of the trace
  std::vector<std::uint32_t> last_;  // scratch
};

}  // namespace

DependencyGraph graph_of(const chakra::Trace& trace, const Platform& platform, const Placement& placement,
                         std::uint64_t seed, ExecutionRoles* roles, ComputeTimes* times,
                         std::string* notice) {
  ChakraGraph of_rank(trace, platform, placement, seed, times);
  std::vector<RankGraph> ranks;
  // By rank and node of the trace: the first of its nodes in the graph.
  auto begins = std::make_shared<std::vector<std::vector<std::uint32_t>>>(trace.ranks.size());
  if (roles != nullptr) {
    roles->ranks.resize(trace.ranks.size());
    of_rank.describe_collectives(*roles);
  }
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank)
    ranks.push_back(of_rank.build(rank, (*begins)[rank], roles == nullptr ? nullptr : &roles->ranks[rank]));
  const std::vector<SwitchId> switches = of_rank.switches();
  for (std::size_t unit = 0; unit < switches.size(); ++unit) ranks.push_back(of_rank.build_switch(unit));
  if (notice != nullptr) *notice = of_rank.notice();
  if (!of_rank.takes_time())
    throw Error(fmt::format("{}: no node takes any time: durations, num_ops and comm_size are all 0",
                            trace.name.string()));
  DependencyGraph graph{
      trace.name, std::move(ranks), [&trace, begins, switches](std::size_t rank, std::uint32_t node) {
        if (rank >= trace.ranks.size())
          return fmt::format("node {} of switch {}", node, switches[rank - trace.ranks.size()]);
        const std::vector<std::uint32_t>& all = (*begins)[rank];
        const auto of_trace = std::ranges::upper_bound(all, node) - all.begin() - 1;
        const chakra::RankTrace& own = trace.ranks[rank];
        return where(own, own.nodes[static_cast<std::size_t>(of_trace)]);
      }};
  graph.end_with_switches(switches);
  return graph;
}

}  // namespace morgana
