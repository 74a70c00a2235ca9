#pragma once

#include <string>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/link_load.h"
#include "emulator/core/time.h"

namespace morgana {

/// What a level between the ranks and the cables reports for people about losses. No result depends on it.
class LossDiagnostics {
 public:
  /// Within the report of a loss (or of a return): how much was lost, where and why; empty where that is not
  /// known.
  virtual std::string how_lost() const { return {}; }
  /// Within the report of a loss and later: how to have none; empty where that is not known.
  virtual std::string remedy() const { return {}; }

 protected:
  ~LossDiagnostics() = default;
};

/// What a network reports for people about its losses and its work.
class NetworkDiagnostics : public LossDiagnostics {
 public:
  /// What has happened up to `until`, before which nothing more may be injected; at least the event queue's
  /// now.
  virtual std::vector<CounterTable> counted(SimTime /*until*/) { return {}; }
  /// What of that is a sign of trouble, counts of 0 included, as troubles_in() has it: also where that is
  /// asked for many times in a run.
  virtual std::vector<TroubleCount> troubles(SimTime until) { return troubles_in(counted(until)); }
  /// Within the report of ranks that wait without bound: what keeps units in it from moving; empty if nothing
  /// does, or that is not known.
  virtual std::string standstill() const { return {}; }
  /// What its links have carried up to `until`, as for counted(); empty if it has no switches and cables. The
  /// links are there, and in the same order, before anything has been injected.
  virtual NetworkLinks links(SimTime /*until*/) { return {}; }
  /// From now on links() says along which links units between two of these ports have gone
  /// (LinkLoad::of_program).
  /// @param ports  by number: whether it is one of them; those beyond the end are none
  /// @return whether it does. A network that can't know it says so of all its links, and leads no units
  ///         through other hosts
  virtual bool follow_ports(const std::vector<bool>& /*ports*/) { return false; }

 protected:
  ~NetworkDiagnostics() = default;
};

}  // namespace morgana
