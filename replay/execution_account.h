#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/operations/operation.h"
#include "emulator/report/execution_report.h"
#include "emulator/report/execution_timeline.h"
#include "traces/import/dependency_graph.h"

namespace morgana {

/// Gets the start and the end of each node of a graph once, in the order of simulated time.
class NodeObserver {
 public:
  virtual ~NodeObserver() = default;
  virtual void started(Rank rank, std::uint32_t node, SimTime at) = 0;
  virtual void ended(Rank rank, std::uint32_t node, SimTime at) = 0;
};

/// What nodes of an execution trace's graph stand for.
struct ExecutionRoles {
  enum class Role : std::uint8_t {
    none,      ///< part of a collective, or takes no time
    computes,  ///< of the trace
    message,   ///< of the trace: a send or a receive
    enters,    ///< its end is a rank's entry to a collective
    leaves,    ///< its end is a rank's exit from one
  };
  struct Kind {
    std::string what;      ///< CollectiveUse::what
    double bus_bytes = 0;  ///< of one
  };
  /// A rank's collectives in the order of their nodes that enter, which is that of those that leave.
  struct OfRank {
    std::vector<Role> nodes;  ///< by number; what is not there has none
    std::vector<std::uint32_t> enters, leaves;
    std::vector<std::uint32_t> collectives;  ///< numbers among those of all ranks
  };
  std::vector<OfRank> ranks;
  std::vector<Kind> kinds;
  struct Collective {
    std::uint32_t kind = 0;
    std::uint32_t members = 0;
  };
  std::vector<Collective> collectives;
};

/// Finds out where the time of an execution trace goes.
class ExecutionAccount final : public NodeObserver {
 public:
  /// @param roles, graph  what nodes stand for, and what they are; must outlive this
  ExecutionAccount(const ExecutionRoles& roles, const DependencyGraph& graph);
  /// From now on what ranks do is written down there, too. @param into  must outlive this
  void keep(ExecutionTimeline& into);
  void started(Rank rank, std::uint32_t node, SimTime at) override;
  void ended(Rank rank, std::uint32_t node, SimTime at) override;
  /// Once the run is over.
  ExecutionUse use() const;

 private:
  struct OfRank {
    SimTime since;  ///< the times below are known until then
    SimTime computing, hidden, exposed, working;
    std::uint32_t computes = 0, communicates = 0, works = 0;  ///< under way
  };
  struct UnderWay {
    std::uint32_t entered = 0, left = 0;
    SimTime first_entry, last_entry;
    SimTime behind;  ///< added up: from the first entry to each
  };
  void pass(Rank rank, SimTime until);
  bool works(Rank rank, std::uint32_t node) const;
  std::uint32_t collective_at(Rank rank, const std::vector<std::uint32_t>& nodes, std::uint32_t node) const;
  void entered(std::uint32_t collective, SimTime at);
  void left(std::uint32_t collective, SimTime at);

  const ExecutionRoles& roles_;
  const DependencyGraph& graph_;
  std::vector<OfRank> ranks_;
  std::vector<UnderWay> collectives_;
  std::vector<CollectiveUse> kinds_;
  ExecutionTimeline* timeline_ = nullptr;
  std::vector<std::map<std::uint32_t, SimTime>> computing_since_;  // by rank, by node that computes
};

}  // namespace morgana
