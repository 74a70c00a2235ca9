#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "traces/import/dependency_graph.h"
#include "traces/import/goal.h"
#include "traces/import/imported_program.h"

namespace morgana {
namespace {

/// Below the end of simulated time.
constexpr SimTime longest_computing = SimTime::from_ps(4'000'000'000'000'000'000);

/// Of a node whose end others need: a message ends when it has been waited for.
enum class NodeProgress : std::uint8_t { open, started, ended };

struct GoalRank {
  std::vector<NodeProgress> progress;            ///< by node
  std::vector<std::vector<std::uint32_t>> ends;  ///< by node: those whose end it waits for
  std::vector<std::vector<std::uint32_t>> starts;
  std::size_t first_open = 0;  ///< all before it have started
  std::size_t started = 0;
  SimTime computed;
  std::vector<Operation> ready;  ///< from the last one on
};

class GoalProgram final : public ImportedProgram {
 public:
  explicit GoalProgram(std::shared_ptr<const DependencyGraph> graph)
      : graph_(std::move(graph)), ranks_(graph_->ranks()) {}
  std::size_t ranks() const override { return ranks_.size(); }
  void next(Rank rank, Operation& operation) override;
  std::vector<std::string> notices() const override;

 private:
  void begin(std::size_t rank);
  void start(std::size_t rank, std::uint32_t node);
  static void wait(GoalRank& program, const std::vector<std::uint32_t>& messages);
  void go_on(std::size_t rank);
  static RequestId request_of(std::uint32_t node) { return RequestId{std::uint64_t{node} + 1}; }

  std::shared_ptr<const DependencyGraph> graph_;
  std::vector<GoalRank> ranks_;
};

void GoalProgram::begin(std::size_t rank) {
  GoalRank& program = ranks_[rank];
  const RankGraph& graph = graph_->rank(rank);
  const auto nodes = static_cast<std::uint32_t>(graph.nodes().size());
  program.progress.resize(nodes);
  program.ends.resize(nodes);
  program.starts.resize(nodes);
  for (std::uint32_t node = 0; node < nodes; ++node) {
    for (const std::uint32_t one : graph.wait_for_end(node)) program.ends[one].push_back(node);
    for (const std::uint32_t one : graph.wait_for_start(node)) program.starts[one].push_back(node);
  }
}

void GoalProgram::start(std::size_t rank, std::uint32_t number) {
  GoalRank& program = ranks_[rank];
  const GraphNode& node = graph_->rank(rank).nodes()[number];
  program.progress[number] = NodeProgress::started;
  ++program.started;
  if (node.kind == GraphNode::Kind::compute) {
    const SimTime time = SimTime::from_ps(node.amount);
    if (time > longest_computing - program.computed)
      throw Error(fmt::format("{}: computes for longer than simulated time lasts, 53 days",
                              graph_->where(rank, number)));
    program.computed += time;
    program.progress[number] = NodeProgress::ended;
    return;
  }
  if (node.tag < Tag{0} && node.tag != any_tag)
    throw Error(
        fmt::format("{}: tag {} does not fit into a trace, whose tags end at {}: replay the schedule "
                    "itself",
                    graph_->where(rank, number), static_cast<std::uint32_t>(node.tag),
                    std::numeric_limits<std::int32_t>::max()));
  Operation operation;
  const bool sends = node.kind == GraphNode::Kind::send;
  operation.kind = sends ? OperationKind::send : OperationKind::receive;
  operation.call = sends ? Call::MPI_Isend : Call::MPI_Irecv;
  operation.peer = node.peer;
  operation.tag = node.tag;
  operation.bytes = Bytes(node.amount);
  operation.request = request_of(number);
  operation.elapsed = std::exchange(program.computed, SimTime());
  program.ready.push_back(std::move(operation));
}

void GoalProgram::wait(GoalRank& program, const std::vector<std::uint32_t>& messages) {
  Operation operation;
  operation.kind = OperationKind::wait;
  operation.call = messages.size() == 1 ? Call::MPI_Wait : Call::MPI_Waitall;
  for (const std::uint32_t number : messages) {
    operation.requests.push_back(request_of(number));
    program.progress[number] = NodeProgress::ended;
  }
  operation.elapsed = std::exchange(program.computed, SimTime());
  program.ready.push_back(std::move(operation));
}

/// Starts all messages that need no waiting, or else a calculation, or else waits for what the first node
/// that can't go on requires.
void GoalProgram::go_on(std::size_t rank) {
  GoalRank& program = ranks_[rank];
  const std::span<const GraphNode> nodes = graph_->rank(rank).nodes();
  std::vector<NodeProgress>& progress = program.progress;
  while (program.ready.empty() && program.started < nodes.size()) {
    while (program.first_open < nodes.size() && progress[program.first_open] != NodeProgress::open)
      ++program.first_open;
    std::optional<std::uint32_t> calculation, waiting;
    bool any = false;
    // What can go on hardly ever stands long after a node that waits.
    constexpr std::size_t looks_ahead = 4096;
    for (std::size_t i = program.first_open; i < nodes.size(); ++i) {
      if (i > program.first_open + looks_ahead && (any || calculation || waiting)) break;
      const auto number = static_cast<std::uint32_t>(i);
      if (progress[i] != NodeProgress::open) continue;
      const auto has_started = [&](std::uint32_t one) { return progress[one] != NodeProgress::open; };
      if (!std::ranges::all_of(program.ends[i], has_started) ||
          !std::ranges::all_of(program.starts[i], has_started))
        continue;
      const bool must_wait = std::ranges::any_of(
          program.ends[i], [&](std::uint32_t one) { return progress[one] != NodeProgress::ended; });
      if (must_wait) {
        if (!waiting) waiting = number;
      } else if (nodes[i].kind == GraphNode::Kind::compute) {
        if (!calculation) calculation = number;
      } else {
        start(rank, number);
        any = true;
      }
    }
    if (any) continue;
    if (calculation) {
      start(rank, *calculation);
      continue;
    }
    // A graph has no cycles: something can start, or waits for what has.
    std::vector<std::uint32_t> open;
    for (const std::uint32_t one : program.ends[waiting.value()])
      if (progress[one] != NodeProgress::ended && std::ranges::find(open, one) == open.end())
        open.push_back(one);
    wait(program, open);
  }
}

void GoalProgram::next(Rank rank, Operation& operation) {
  GoalRank& program = ranks_[index(rank)];
  if (program.progress.empty()) begin(index(rank));
  if (program.ready.empty()) {
    go_on(index(rank));
    if (program.ready.empty()) {
      std::vector<std::uint32_t> open;
      for (std::size_t i = 0; i < program.progress.size(); ++i)
        if (program.progress[i] != NodeProgress::ended) open.push_back(static_cast<std::uint32_t>(i));
      if (!open.empty()) wait(program, open);
    }
    if (program.ready.empty()) {
      Operation exit;
      exit.kind = OperationKind::exit;
      exit.elapsed = std::exchange(program.computed, SimTime());
      program.ready.push_back(std::move(exit));
    }
    std::ranges::reverse(program.ready);
  }
  operation = std::move(program.ready.back());
  program.ready.pop_back();
}

std::vector<std::string> GoalProgram::notices() const {
  std::vector<std::string> all;
  const auto add = [&all](const char* key) {
    all.push_back(fmt::format(
        "lines that name another {} than 0 are taken for {} 0: a rank of a trace does one thing at a time; "
        "`morgana replay` runs the schedule itself",
        key, key));
  };
  if (graph_->cpus() > 1) add("cpu");
  if (graph_->nics() > 1) add("nic");
  return all;
}

}  // namespace

std::unique_ptr<ImportedProgram> read_goal(const std::filesystem::path& file) {
  return std::make_unique<GoalProgram>(read_goal_graph(file));
}

}  // namespace morgana
