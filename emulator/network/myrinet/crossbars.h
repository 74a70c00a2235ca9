#pragma once

#include <span>
#include <vector>

#include "emulator/network/myrinet/parameters.h"
#include "emulator/network/myrinet/senders.h"
#include "emulator/network/myrinet/waiting_inputs.h"
#include "emulator/network/myrinet/worm_cuts.h"

namespace morgana::myrinet {

/// The switches: requests of headers for outputs, grants, connections from inputs to outputs, and the sinks
/// that take packets that can't go anywhere. An output is connected to at most one input (Channel::feed),
/// from the grant until the packet has passed or its connection is broken; inputs that wait for it are served
/// round-robin.
class Crossbars {
 public:
  /// The objects must outlive this one.
  Crossbars(Agenda agenda, WormChannels& channels, PacketStore& packets, FlitRuns& runs, SlackBuffers& slack,
            DeadlockTimers& timers, Senders& senders, WormCuts& cuts, const MyrinetParameters& parameters);

  /// WormEvent::header_arrives: a packet at the front of the input that has not been looked at requests its
  /// output.
  void look(Index input);
  /// WormEvent::routing_ends: the route byte leaves the buffer, and the flits behind it may follow.
  void routed(Index output);
  /// A packet has passed: the output is free again, and so is the input.
  void sent(Index output);
  /// WormEvent::switch_arbitrates: the switch's only routing unit, if free, takes the next of the inputs
  /// whose output is free.
  void arbitrate(Index at);
  /// WormEvent::patience_ends: in an instant, connections are broken before outputs are granted, and headers
  /// dropped after it.
  void end_patience(Index at);
  /// Why the input's sink takes its packet.
  UnitLoss sink_reason(Index input) const { return sink_reason_[input]; }

 private:
  /// Of a switch with one header at a time.
  struct OnlyRoutingUnit {
    Time arbitrating_at = never;
    Time free_at = long_ago;
    RouteByte last_routed = 0;
  };

  void request(Index input);
  void grant(Index output, Index at);
  void regrant(Index output, Index at);
  void hold(Index output, Index input);
  void set_free(Index output, Index at);
  void begin_sending(Index output, Index input, Count taken);
  void sink(Index input, UnitLoss why);
  void arbitrate_late(Index at);
  void cut_stalled(Index at);
  void cut_connection(Index output);

  Agenda agenda_;
  const WormChannels& layout_;
  std::span<Channel> channels_;
  PacketStore& packets_;
  FlitRuns& runs_;
  SlackBuffers& slack_;
  DeadlockTimers& timers_;
  Senders& senders_;
  WormCuts& cuts_;
  Time routing_;
  bool one_header_at_a_time_;
  WaitingInputs waiting_;
  std::vector<UnitLoss> sink_reason_;   // by input
  std::vector<OnlyRoutingUnit> units_;  // by switch
};

}  // namespace morgana::myrinet
