#pragma once

#include <cstddef>
#include <vector>

#include "emulator/network/myrinet/agenda.h"
#include "emulator/network/myrinet/flit_runs.h"
#include "emulator/network/myrinet/packet_store.h"
#include "emulator/network/myrinet/worms.h"

namespace morgana::myrinet {

/// Which packets have been blocked at a switch for the deadlock timeout: headers that wait for an output, and
/// outputs that stand still with a packet. There is one timer a switch, which expires when the first of those
/// that are blocked may have to go.
class DeadlockTimers {
 public:
  /// The objects must outlive this one. @param timeout  in picoseconds; 0: packets wait without bound
  DeadlockTimers(Agenda agenda, const PacketStore& packets, const FlitRuns& runs, std::size_t switches,
                 Time timeout)
      : agenda_(agenda), packets_(packets), runs_(runs), timeout_(timeout), expires_(switches, never) {}

  /// A packet at the switch has been blocked since then; expires (WormEvent::patience_ends) in time for it.
  void arm(Index at, Time since);
  bool expires_now(Index at) const { return expires_[at] == agenda_.now(); }
  /// It has expired; what is still blocked arms it again.
  void disarm(Index at) { expires_[at] = never; }

  /// Packets may be blocked at this output: a host's own channel waits without bound.
  static bool applies_to(const Channel& output) { return output.stopped && !output.to_host; }
  /// The header at the front of the input has waited for too long.
  bool overdue(const Channel& input) const {
    return input.input == Input::waiting && too_long(input.requested_at);
  }
  /// Of an output that is stopped with a packet: since when both, and its cable is clear.
  Time still_since(const Channel& output) const;
  /// The output has stood still with a packet for too long.
  bool stalled(const Channel& output) const {
    return applies_to(output) && output.current != none && output.run_end < packets_.end(output.current) &&
           too_long(still_since(output));
  }

 private:
  bool too_long(Time since) const { return timeout_ > 0 && agenda_.now() - since >= timeout_; }

  Agenda agenda_;
  const PacketStore& packets_;
  const FlitRuns& runs_;
  Time timeout_;
  std::vector<Time> expires_;  // by switch
};

}  // namespace morgana::myrinet
