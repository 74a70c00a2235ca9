#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "emulator/operations/operation.h"

/// Execution traces of MLCommons' Chakra (et_def.proto), as PyTorch's converter and ASTRA-sim's generators
/// write them.
namespace morgana::chakra {

enum class NodeType : std::uint8_t {
  invalid,
  metadata,
  memory_load,
  memory_store,
  compute,
  send,
  receive,
  collective,
};

enum class CollectiveType : std::uint8_t {
  all_reduce,
  reduce,
  all_gather,
  gather,
  scatter,
  broadcast,
  all_to_all,
  reduce_scatter,
  reduce_scatter_block,
  barrier,
};
std::string_view name_of(CollectiveType type);  ///< "ALL_REDUCE"

inline constexpr std::int64_t no_stream = -1;
inline constexpr std::uint32_t all_ranks = 0;  ///< the number of the group that has all

/// What a rank does. Nodes of types that stand for a launch only (a collective on a CPU without comm_type)
/// have become compute nodes.
struct Node {
  std::uint64_t id = 0;
  std::int64_t bytes = 0;                   ///< comm_size, or tensor_size; >= 0
  std::int64_t operations = 0;              ///< num_ops; >= 0
  std::int64_t microseconds = 0;            ///< duration_micros; >= 0
  std::int64_t stream = no_stream;          ///< the attribute stream, or tid
  std::uint32_t first_need = 0, needs = 0;  ///< of RankTrace::needs: what it waits for
  std::int32_t peer = 0;                    ///< of a send or receive; of a collective: its root, a rank
  std::uint32_t tag = 0;                    ///< of a send or receive
  std::uint32_t group = all_ranks;          ///< of a collective
  NodeType type = NodeType::invalid;
  CollectiveType collective = CollectiveType::all_reduce;
  bool on_cpu = false;
};

/// A rank's nodes, each behind all that it waits for, and otherwise by their ids: so their order is that of
/// the graph, not of the file.
struct RankTrace {
  std::filesystem::path file;
  std::vector<Node> nodes;
  std::vector<std::uint32_t> needs;  ///< numbers of nodes

  std::span<const std::uint32_t> needs_of(const Node& node) const {
    return std::span(needs).subspan(node.first_need, node.needs);
  }
};

/// Ranks that carry out collectives together.
struct ProcessGroup {
  std::string name;                   ///< pg_name; empty: all ranks
  std::vector<std::int32_t> members;  ///< in the order in which they are named
};

/// The i-th collective of a group: every member's i-th node of that group.
struct Collective {
  std::uint32_t group = all_ranks;
  CollectiveType type = CollectiveType::all_reduce;
  std::int64_t bytes = 0;  ///< of what a rank begins with; of all members the largest
  std::int32_t root = 0;   ///< a rank
};

struct Trace {
  std::filesystem::path name;  ///< as the user gives it
  std::vector<RankTrace> ranks;
  std::vector<ProcessGroup> groups;  ///< [all_ranks] has all
  /// By group: its collectives in order.
  std::vector<std::vector<Collective>> collectives;
  std::vector<std::string> notices;  ///< sentences for the user
};

/// Whether a name stands for execution traces: NAME.%d.et (a number for %d), one of these files, what stands
/// before ".0.et", a folder that holds such files, or a single file NAME.et; each may end in .et.gz as well.
bool is_chakra(const std::filesystem::path& name);

/// Reads the files of all ranks, gzip'ed or not, and NAME.json if there is one: process groups as ASTRA-sim
/// has them, {"0": [0, 1, 2, 3]}.
/// A node may begin when its data_deps and ctrl_deps have ended. ctrl_deps are left out, in all files, if
/// with them nodes of a file wait for each other: they are call stacks then.
/// @param progress  called now and then with the share that is read, 0 to 1; may be empty
/// @throws Error with file and node: for what is no execution trace, for a rank without a file, cycles, nodes
/// that don't exist, peers and groups without a file, and messages and collectives that others lack
std::shared_ptr<const Trace> read(const std::filesystem::path& name,
                                  const std::function<void(double)>& progress = {});

/// File, id and name of a node, which the file is read again for.
std::string where(const RankTrace& rank, const Node& node);

}  // namespace morgana::chakra
