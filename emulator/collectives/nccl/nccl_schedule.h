#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "emulator/collectives/measured_collective.h"
#include "emulator/collectives/nccl/nccl_in_network.h"
#include "emulator/collectives/nccl/nccl_parameters.h"

namespace morgana::nccl {

/// Where ranks are: node by node, `per_node` of them on each. With several nodes a collective uses the first
/// `rails` NICs of each node: NIC i is that through which data for GPU i enter a node.
struct GpuLayout {
  int ranks = 2;
  int per_node = 8;                ///< of which `ranks` is a multiple, if there are several nodes
  int rails = 8;                   ///< >= 1, at most per_node
  bool uneven = false;             ///< nodes have different numbers of ranks: here each rank counts as a node
  Reducers nvls = Reducers::none;  ///< switches between a node's GPUs
  Reducers collnet = Reducers::none;  ///< switches between nodes

  int nodes() const { return (ranks + per_node - 1) / per_node; }
  /// Of a node that takes part.
  int gpus() const { return nodes() > 1 ? per_node : ranks; }
  bool share_node(int a, int b) const { return a / per_node == b / per_node; }
};

/// Of members on these nodes: nothing unless equally many are on each, one node after the other.
/// @param nodes  by member, at least one  @param rails  of a whole node, > 0
std::optional<GpuLayout> layout_on(std::span<const std::int64_t> nodes, int rails);

/// One collective, by one algorithm and protocol.
struct Plan {
  MeasuredCollective collective = MeasuredCollective::all_reduce;
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  std::int64_t bytes = 0;  ///< > 0; a multiple of `ranks` where the collective has blocks
  GpuLayout layout;
  int channels = 16;                              ///< > 0
  int slices = 2;                                 ///< > 0
  int root = 0;                                   ///< of a broadcast or reduce
  bool nvls_is_slow = false;                      ///< of nvls over several nodes: estimates_slow_nvls()
  std::shared_ptr<const SwitchUnits> units = {};  ///< of an algorithm that is_in_network(), never null

  /// GPUs, and behind them the switches' units.
  int all_ranks() const { return layout.ranks + (units ? units->count : 0); }
};

/// Channels that take the same way are one lane: with several nodes there is one for each rail (of trees:
/// for each rail and each of the two trees), else a single one. A lane has the chunks of all its channels. Of
/// algorithms that are in the network each GPU of a node has a part of each lane.
int lanes_of(const Plan& plan);
/// Of the plan's channels those for which there are enough data.
int channels_in_use(const Plan& plan);
/// Of a lane's chunks along a ring that go separately: 1 but for Simple.
int slices_of(const Plan& plan);

/// What one GPU does with one piece of data: it waits for what comes, adds it up or copies it, sends it on.
/// Primitives of a worker follow each other in order; workers of a rank run next to each other.
struct Primitive {
  std::uint32_t worker = 0;  ///< of the rank: below workers_of(plan)
  /// Messages between two ranks are distinguished by these: those of one number come in order.
  std::uint32_t in_stream = 0, out_stream = 0;
  std::vector<int> from, to;           ///< ranks
  std::int64_t offset = 0, bytes = 0;  ///< of the collective's buffer
  /// Of pat: so many ranks' blocks in one message, the first at `offset`, each `stride` behind the last one,
  /// from the buffer's end on again from its begin.
  std::int64_t blocks = 0, stride = 0;
  bool own = false;                  ///< this rank's own data are added, or what is sent
  bool asked = false, asks = false;  ///< what comes, or is sent, is a request without data
  bool keeps = false;                ///< the outcome is a part of this rank's result
};
/// That any rank has.
std::uint32_t workers_of(const Plan& plan);
/// Numbers of streams are below this.
std::uint32_t streams_of(const Plan& plan);

/// In order, those of one rank. @param rank  below Plan::all_ranks()
void for_each_primitive(const Plan& plan, int rank, const std::function<void(const Primitive&)>& visit);

/// A node's place in one of the two trees over nodes; -1: none. In the first tree node 0 is the root and odd
/// nodes are leaves; the second one is the first one mirrored (an even number of nodes) or shifted by one
/// (odd), so that a node passes data on in one tree and is a leaf of the other. Source: Sanders, Speck and
/// Traff, "Two-tree algorithms for full bandwidth broadcast, reduction and scan", Parallel Computing 35(12),
/// 2009; numbering as NCCL's (src/graph/trees.cc).
struct TreePlace {
  int parent = -1;
  std::array<int, 2> children{-1, -1};
};
TreePlace tree_place(int tree, int nodes, int node);

}  // namespace morgana::nccl
