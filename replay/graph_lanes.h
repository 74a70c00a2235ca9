#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/operations/causality.h"
#include "emulator/operations/observer.h"
#include "emulator/report/run_statistics.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

/// A graph's run as observers see programs: each rank as one sequence of calls. A send is MPI_Isend, a
/// receive MPI_Irecv, and the end of either a wait. A rank computes while any of its CPUs does; of a call
/// counts what is left of its time then. Of a rank with one CPU that is all of it. Switches that add up
/// (DependencyGraph::switches) make no calls, and messages that they send or receive are none of a program's:
/// what is left of a rank's time while it exchanges these is one MPI_Wait that completes nothing.
class GraphLanes {
 public:
  /// @param statistics  get what calls take summed up, when a rank exits or sum_up() is called; may be null
  /// @param start  of all ranks
  GraphLanes(const DependencyGraph& graph, RunStatistics* statistics,
             std::span<OperationObserver* const> observers, CausalityObserver* causes, SimTime start);

  /// There are no observers: nothing is worth finding out.
  bool nobody_looks() const { return nobody_looks_; }

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
  /// The statistics get the calls of ranks that have not exited.
  void sum_up();

  static RequestId request_of(std::uint32_t node) { return RequestId{std::uint64_t{node} + 1}; }

 private:
  enum class Kind : std::uint8_t { send, receive, wait };
  static constexpr std::size_t kinds = 3;
  struct Lane {
    SimTime last;             ///< end of the rank's last call
    SimTime computing_since;  ///< while `computing` > 0; not before `last`
    SimTime computed;         ///< since `last`, without what goes on
    std::uint32_t computing = 0;
    SimTime at_switches;  ///< until then it had to do with switches, without computing; 0: not since `last`
    Kind last_kind{};     ///< of the last call
    // For the statistics, by kind of call:
    std::array<std::uint32_t, kinds> calls{};
    std::uint32_t received = 0;  ///< waits for a receive
    std::array<SimTime, kinds> time{};
    SimTime late_sender, late_receiver;
    Bytes bytes_sent, bytes_received;
  };
  bool is_switch(Rank rank) const { return index(rank) >= graph_.program_ranks(); }
  /// Whether it is a switch's, or its peer is one.
  bool is_of_switch(Rank rank, const GraphNode& node) const {
    return has_switches_ && (is_switch(rank) || (node.peer != any_rank && is_switch(node.peer)));
  }
  /// Whether the node is a switch's, or its peer is one: that is noted. Else the rank makes a call now, and
  /// its wait for switches, if it had any, is reported before.
  bool is_left_to_switch(Rank rank, std::uint32_t node, SimTime now);
  void tell_wait_for_switches(Rank rank);
  SimTime begin_of_call(Lane& lane, SimTime now) const;
  /// A call of the rank's ends now. @return when it has begun
  SimTime count(Lane& lane, Kind kind, SimTime now);
  void tell(Rank rank, Operation& operation, SimTime before, SimTime begin, SimTime now,
            std::span<const Completed> completed = {});
  void sum_up(Rank rank);

  const DependencyGraph& graph_;
  RunStatistics* statistics_;
  std::vector<OperationObserver*> observers_;
  CausalityObserver* causes_;
  bool nobody_looks_, has_switches_;
  std::vector<Lane> lanes_;                               // by rank
  Operation send_, receive_, wait_, at_switches_, exit_;  // scratch
};

}  // namespace morgana
