#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/network/fabric/parameters.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::fabric {

/// The past states of a switch's outputs. Other switches see the load of an output with a delay (LoadNews),
/// so the switch computes it from an old state. The load is the time that the output needs for its queue, its
/// packet in transmission and the credits that it has not got back.
///
/// A state and a return of credits are forgotten once they are older than LoadNews::seen() of the latest
/// keep(): find() and given() must not be called for earlier times.
class LoadHistory {
 public:
  struct State {
    SimTime until;             ///< the last instant at which the output was in this state
    std::int64_t waiting = 0;  ///< bytes queued for the output, gaps between packets included
    SimTime free;              ///< when the channel's current transmission ends
    std::int64_t taken = 0;    ///< credit units used since the start of the run, returned ones included
    bool down = false;         ///< the cable has failed
  };

  /// @param outputs  their number
  LoadHistory(const LoadNews& news, unsigned outputs) : news_(news), outputs_(outputs) {}

  /// Adds the state that an output has been in since the end of its previous one. Ignored if it ends no later
  /// than that.
  void keep(PortNumber output, const State& state, SimTime now);
  /// Credit units come back to the output at `at`, which is not before the caller's present.
  void give(PortNumber output, SimTime at, std::int64_t units);
  /// The credit units that came back up to and including `then`, since the start of the run.
  std::int64_t given(PortNumber output, SimTime then) const;
  /// The output's state at `then`; null if that is still its present state.
  const State* find(PortNumber output, SimTime then) const;

 private:
  struct Given {
    SimTime at;
    std::int64_t units;
  };
  struct Output {
    std::deque<State> states;       // by time
    std::deque<Given> given;        // by time
    std::int64_t given_before = 0;  // the sum of the entries that have left `given`
  };
  static void forget(Output& output, SimTime before);

  LoadNews news_;
  std::vector<Output> outputs_;
};

}  // namespace morgana::fabric
