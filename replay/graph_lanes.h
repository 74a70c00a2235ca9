#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "emulator/operations/causality.h"
#include "emulator/operations/observer.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

/// A graph's run as observers see programs: each rank as one sequence of calls. A send is MPI_Isend, a
/// receive MPI_Irecv, and the end of either a wait. A rank computes while any of its CPUs does; of a call
/// counts what is left of its time then. Of a rank with one CPU that is all of it. Switches that add up
/// (DependencyGraph::switches) make no calls, and messages that they send or receive are none of a program's:
/// what is left of a rank's time while it exchanges these is one MPI_Wait that completes nothing.
class GraphLanes {
 public:
  /// @param start  of all ranks
  GraphLanes(const DependencyGraph& graph, std::span<OperationObserver* const> observers,
             CausalityObserver* causes, SimTime start);

  /// There are no observers: nothing is worth finding out.
  bool nobody_looks() const { return observers_.empty() && causes_ == nullptr; }

  bool asks_for_causes() const { return causes_ != nullptr; }

  // At the simulated time at which it happens; a node is the number of one of the rank's.
  void computing_begins(Rank rank, SimTime now);
  void computing_ends(Rank rank, SimTime now);
  void posted(Rank rank, std::uint32_t node, SimTime now);
  void sent(Rank rank, std::uint32_t node, SimTime now);
  /// What a node has waited for: whom, and since when that one was there.
  struct Awaited {
    Origin origin;       ///< by rank -1: not known
    SimTime there;       ///< when its message was there
    SimTime partner_at;  ///< when its partner's send, or receive, began; 0: not known
  };
  /// The wait for a node ends. @param done  what is known of it
  void waited(Rank rank, std::uint32_t node, SimTime now, const Completed& done, const Awaited& awaited);
  void exited(Rank rank, SimTime now);
  void delivered(Rank from, Rank to, Bytes bytes, SimTime sent, SimTime now) const;

  static RequestId request_of(std::uint32_t node) { return RequestId{std::uint64_t{node} + 1}; }

 private:
  struct Lane {
    SimTime last;             ///< end of the rank's last call
    SimTime computing_since;  ///< while `computing` > 0; not before `last`
    SimTime computed;         ///< since `last`, without what goes on
    std::uint32_t computing = 0;
    SimTime
        at_switches;  ///< until then the rank had to do with switches, without computing; 0: not since `last`
  };
  bool is_switch(Rank rank) const { return index(rank) >= graph_.program_ranks(); }
  /// Whether it is a switch's, or its peer is one.
  bool is_of_switch(Rank rank, const GraphNode& node) const {
    return !graph_.switches().empty() && (is_switch(rank) || (node.peer != any_rank && is_switch(node.peer)));
  }
  SimTime begin_of_call(Lane& lane, SimTime now) const;
  void had_to_do_with_switch(Rank rank, SimTime now);
  void tell_wait_for_switches(Rank rank);
  void tell(Rank rank, Operation& operation, SimTime now, std::span<const Completed> completed = {});

  const DependencyGraph& graph_;
  std::vector<OperationObserver*> observers_;
  CausalityObserver* causes_;
  std::vector<Lane> lanes_;                               // by rank
  Operation send_, receive_, wait_, at_switches_, exit_;  // scratch
};

}  // namespace morgana
