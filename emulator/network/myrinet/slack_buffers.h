#pragma once

#include <span>

#include "emulator/network/myrinet/agenda.h"
#include "emulator/network/myrinet/deadlock_timers.h"
#include "emulator/network/myrinet/flit_runs.h"
#include "emulator/network/myrinet/parameters.h"
#include "emulator/network/myrinet/worms.h"

namespace morgana::myrinet {

/// The slack buffers of switch inputs: what they hold, and the stops and gos that they send. What a buffer
/// holds follows from the run that fills it and the run that empties it, so that there is an event only when
/// it may cross a threshold. It never holds more than its slack.
class SlackBuffers {
 public:
  /// The objects must outlive this one. @param channels  whose receivers' buffers these are
  SlackBuffers(Agenda agenda, std::span<Channel> channels, const PacketStore& packets, const FlitRuns& runs,
               const DeadlockTimers& timers, const MyrinetParameters& parameters);

  /// Predicts when the buffer may next cross a threshold, and has it checked then. To be called whenever what
  /// fills or empties it changes. In time is enough: a check that finds nothing predicts again.
  void watch(Index input);
  /// WormEvent::thresholds_are_checked: sends a stop or a go if the buffer has crossed a threshold.
  void check(Index input);
  /// The channel's receiver sends a stop or a go, which arrives one control time later.
  void send_signal(Index channel, bool stop);

 private:
  /// Flits that have left the buffer until now, now included.
  Count removed(const Channel& input) const;
  void check_at(Index input, Time when);

  Agenda agenda_;
  std::span<Channel> channels_;
  const PacketStore& packets_;
  const FlitRuns& runs_;
  const DeadlockTimers& timers_;
  [[maybe_unused]] Count slack_;
  Count stop_above_, go_below_;
  Time control_, routing_;
};

}  // namespace morgana::myrinet
