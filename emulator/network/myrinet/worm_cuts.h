#pragma once

#include <span>

#include "emulator/network/myrinet/host_interfaces.h"
#include "emulator/network/myrinet/senders.h"
#include "emulator/network/myrinet/worm_channels.h"
#include "emulator/topology/fault.h"

namespace morgana::myrinet {

/// Packets that are cut off on their way: by a channel that fails under them, or by a switch that breaks
/// their connection. What has crossed a channel by then continues and ends in a bad tail; the rest has no
/// fate of its own any more. A packet is lost once, wherever the foremost of its pieces ends.
class WormCuts {
 public:
  /// The objects must outlive this one.
  WormCuts(Agenda agenda, WormChannels& channels, PacketStore& packets, FlitRuns& runs, SlackBuffers& slack,
           Senders& senders, HostInterfaces& hosts);

  /// As MyrinetNetwork's functions of the same names.
  void kill_channel(CableChannel channel, SimTime at);
  void kill_cable(SwitchPort end, SimTime at);
  void kill_switch(SwitchId id, SimTime at);
  /// Whether a channel has failed, or will.
  bool any_failure() const { return any_failure_; }
  /// WormEvent::channel_dies.
  void die(Index channel);

  /// A switch breaks the connection to an output that stands still with a packet: what has crossed the output
  /// ends in a bad tail. The output has no passage then.
  void break_off(Index output);

 private:
  void sever(Index channel, Count crossed);
  void shorten(Index channel, Index passage, Count length, UnitLoss why);
  void silence(Index channel);

  Agenda agenda_;
  const WormChannels& layout_;
  std::span<Channel> channels_;
  PacketStore& packets_;
  FlitRuns& runs_;
  SlackBuffers& slack_;
  Senders& senders_;
  HostInterfaces& hosts_;
  bool any_failure_ = false;
};

}  // namespace morgana::myrinet
