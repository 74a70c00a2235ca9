#pragma once

#include <cstdint>
#include <vector>

namespace morgana {

/// A directed graph that never has a cycle: an edge that would close one is refused. Nodes are kept in a
/// topological order, so that an edge along the order costs nothing. Source: Pearce and Kelly, "A Dynamic
/// Topological Sort Algorithm for Directed Acyclic Graphs", ACM Journal of Experimental Algorithmics 11,
/// 2006.
class AcyclicGraph {
 public:
  using Node = std::uint32_t;
  explicit AcyclicGraph(std::size_t nodes);

  bool has(Node from, Node to) const;
  /// @param from,to  different, with no edge between them in this direction
  /// @return whether the edge is there now; if it would close a cycle, the graph stays as it is
  bool add(Node from, Node to);
  /// Of an edge that is there.
  void remove(Node from, Node to);

 private:
  bool reaches(Node from, Node target);
  void reorder(Node from);

  std::vector<std::vector<Node>> next_, before_;
  std::vector<std::uint32_t> place_;  // of each node in the order
  std::vector<bool> met_;
  std::vector<Node> ahead_, behind_;  // met by the last search from the edge's end, and back from its start
};

}  // namespace morgana
