#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/random.h"
#include "traces/import/dependency_graph.h"

namespace morgana::testing {

/// A schedule in GOAL's text form, line by line.
struct GoalSchedule {
  std::vector<std::vector<std::string>> lines;  ///< by rank

  explicit GoalSchedule(std::size_t ranks) : lines(ranks) {}
  std::string text() const {
    std::string all = fmt::format("num_ranks {}\n", lines.size());
    for (std::size_t rank = 0; rank < lines.size(); ++rank)
      all += fmt::format("rank {} {{\n{}\n}}\n", rank, fmt::join(lines[rank], "\n"));
    return all;
  }
  /// The same lines of each rank in another order.
  GoalSchedule shuffled(std::uint64_t seed) const {
    GoalSchedule other = *this;
    RandomStream random(seed, "lines");
    for (auto& of_rank : other.lines)
      for (std::size_t i = of_rank.size(); i > 1; --i) std::swap(of_rank[i - 1], of_rank[random.below(i)]);
    return other;
  }
};

/// Each round doubles the distance; a rank's next send requires its last receive.
inline GoalSchedule dissemination(std::size_t ranks) {
  GoalSchedule all(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    int line = 0;
    for (std::size_t distance = 1; distance < ranks; distance *= 2) {
      all.lines[rank].push_back(fmt::format("l{}: send 1b to {}", line + 1, (rank + distance) % ranks));
      if (line > 0) all.lines[rank].push_back(fmt::format("l{} requires l{}", line + 1, line));
      all.lines[rank].push_back(
          fmt::format("l{}: recv 1b from {}", line + 2, (rank + ranks - distance) % ranks));
      line += 2;
    }
  }
  return all;
}

/// Who has the byte sends it on, to rank + 1, + 2, + 4 and so on, as far as that one has it from nobody else.
inline GoalSchedule binomial_tree(std::size_t ranks) {
  GoalSchedule all(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    std::size_t span = 1;
    while (span <= rank) span *= 2;
    int line = 1;
    if (rank > 0) all.lines[rank].push_back(fmt::format("l{}: recv 1b from {}", line++, rank - span / 2));
    for (; rank + span < ranks; span *= 2, ++line) {
      all.lines[rank].push_back(fmt::format("l{}: send 1b to {}", line, rank + span));
      if (rank > 0) all.lines[rank].push_back(fmt::format("l{} requires l1", line));
    }
  }
  return all;
}

/// Each step sends on what the step before has brought.
inline GoalSchedule ring(std::size_t ranks, std::size_t steps, std::int64_t bytes) {
  GoalSchedule all(ranks);
  for (std::size_t rank = 0; rank < ranks; ++rank)
    for (std::size_t step = 0; step < steps; ++step) {
      const std::size_t line = 2 * step + 1;
      all.lines[rank].push_back(fmt::format("l{}: send {}b to {}", line, bytes, (rank + 1) % ranks));
      if (step > 0) all.lines[rank].push_back(fmt::format("l{} requires l{}", line, line - 1));
      all.lines[rank].push_back(
          fmt::format("l{}: recv {}b from {}", line + 1, bytes, (rank + ranks - 1) % ranks));
    }
  return all;
}

/// As LogGOPSim's txt2bin writes it.
inline std::string binary_goal(const DependencyGraph& graph) {
  std::string out;
  const auto put = [&out](auto number) {
    char bytes[sizeof number];
    std::memcpy(bytes, &number, sizeof number);
    out.append(bytes, sizeof number);
  };
  put(std::uint64_t{4223});
  put(static_cast<std::uint32_t>(graph.ranks()));
  put(static_cast<std::uint8_t>(graph.cpus() - 1));
  put(static_cast<std::uint8_t>(graph.nics() - 1));
  const std::size_t table = out.size();
  out.append(graph.ranks() * 16, '\0');
  for (std::size_t rank = 0; rank < graph.ranks(); ++rank) {
    const std::uint64_t begin = out.size() - 8;
    const std::span<const GraphNode> nodes = graph.rank(rank).nodes();
    std::vector<std::uint32_t> roots, waiting;
    for (std::uint32_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].waits_for == 0) roots.push_back(i);
    put(static_cast<std::uint32_t>(nodes.size()));
    put(static_cast<std::uint32_t>(roots.size()));
    for (const std::uint32_t root : roots) put(root);
    for (std::uint32_t i = 0; i < nodes.size(); ++i) {
      const GraphNode& node = nodes[i];
      const bool computes = node.kind == GraphNode::Kind::compute;
      put(node.waits_for);
      put(static_cast<std::uint8_t>(computes ? 3 : node.kind == GraphNode::Kind::send ? 1 : 2));
      put(static_cast<std::uint32_t>(computes ? 0 : static_cast<std::int32_t>(node.peer)));
      put(static_cast<std::uint64_t>(computes ? node.amount / 1000 : node.amount));
      put(static_cast<std::uint32_t>(computes ? 0 : static_cast<std::int32_t>(node.tag)));
      put(static_cast<std::uint8_t>(node.cpu));
      put(node.nic);
      for (const auto& followers : {graph.rank(rank).wait_for_end(i), graph.rank(rank).wait_for_start(i)}) {
        put(static_cast<std::uint32_t>(followers.size()));
        put(static_cast<std::uint32_t>(waiting.size()));
        waiting.insert(waiting.end(), followers.begin(), followers.end());
        std::sort(waiting.end() - static_cast<std::ptrdiff_t>(followers.size()), waiting.end());
      }
    }
    for (const std::uint32_t one : waiting) put(one);
    const std::uint64_t end = out.size() - 8;
    std::memcpy(out.data() + table + rank * 16, &begin, sizeof begin);
    std::memcpy(out.data() + table + rank * 16 + 8, &end, sizeof end);
  }
  return out;
}

}  // namespace morgana::testing
