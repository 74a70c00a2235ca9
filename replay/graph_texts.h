#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "replay/graph_messages.h"
#include "replay/graph_progress.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

/// Texts about a graph's run: nodes that wait, and messages that are never received.
class GraphTexts {
 public:
  using Node = GraphProgress::Node;
  using Unreceived = std::map<Rank, std::vector<Messenger::Found>>;

  /// The references must outlive this.
  GraphTexts(const DependencyGraph& graph, const GraphProgress& progress, const GraphMessages& messages)
      : graph_(graph), progress_(progress), messages_(messages) {}

  /// @param since  when anything happened last
  std::string deadlock(SimTime since) const;
  /// Messages that are not as long as their receive says.
  struct OtherSizes {
    std::uint64_t count = 0;
    Node first{};
    Bytes bytes;  ///< of the first
  };
  /// Sentences for the user: what was lost, never received, or of another size than its receive says.
  std::vector<std::string> notices(const OtherSizes& other_sizes) const;

 private:
  std::string text_of(Rank rank) const;
  std::string describe_waiting(Rank rank, const Unreceived& unreceived) const;
  std::string describe(Rank rank, Node node) const;
  std::string loss_report() const;
  std::string unreceived_text() const;
  std::string where_sent(const Messenger::Found& message, Rank receiver) const;

  const DependencyGraph& graph_;
  const GraphProgress& progress_;
  const GraphMessages& messages_;
};

}  // namespace morgana
