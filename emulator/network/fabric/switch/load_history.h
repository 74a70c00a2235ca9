#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::fabric {

/// What the loads of a switch's outputs followed from, for other switches that learn of them late
/// (LoadNews). Times that are asked for never descend by more than the news' age.
class LoadHistory {
 public:
  struct State {
    SimTime until;             ///< it was so up to then, that instant included
    std::int64_t waiting = 0;  ///< bytes, gaps included
    SimTime free;              ///< when the channel has sent what it sends
    std::int64_t taken = 0;    ///< units of credit since the start, whether they came back or not
    bool down = false;
  };

  LoadHistory(const LoadNews& news, unsigned outputs) : news_(news), outputs_(outputs) {}

  /// What has been so since the state before. One that ends no later than that is left out.
  void keep(PortNumber output, const State& state, SimTime now);
  /// Units of credit are back at the output from then on: known before `at`.
  void give(PortNumber output, SimTime at, std::int64_t units);
  /// Units that were back up to then.
  std::int64_t given(PortNumber output, SimTime then) const;
  /// Null: it is still as it was then.
  const State* find(PortNumber output, SimTime then) const;

 private:
  struct Given {
    SimTime at;
    std::int64_t units;
  };
  struct Output {
    std::deque<State> states;       // by time
    std::deque<Given> given;        // by time
    std::int64_t given_before = 0;  // what is not in the list any more
  };
  static void forget(Output& output, SimTime before);

  LoadNews news_;
  std::vector<Output> outputs_;
};

}  // namespace morgana::fabric
