#pragma once

#include <span>

#include "emulator/network/myrinet/agenda.h"
#include "emulator/network/myrinet/channel_loads.h"
#include "emulator/network/myrinet/deadlock_timers.h"
#include "emulator/network/myrinet/flit_runs.h"
#include "emulator/network/myrinet/packet_store.h"
#include "emulator/network/myrinet/slack_buffers.h"
#include "emulator/network/myrinet/worm_channels.h"

namespace morgana::myrinet {

/// Is called when a sender has come to the end of a passage, and when it sends to a host.
class SenderListener {
 public:
  /// The passage's last flit has left, the cable is clear of it, and the channel has no passage any more.
  virtual void passage_sent(Index channel, Index passage) = 0;
  /// A run of flits towards a host begins.
  virtual void run_to_host_begins(Index channel) = 0;

 protected:
  ~SenderListener() = default;
};

/// The senders of the channels: each sends the flits of one passage in runs, one flit time apart, while it is
/// not stopped, the cable is clear, and the buffer that feeds it has flits. A run's end is planned: the
/// packet's last flit, or the first flit that the feeding channel is not known to bring in time. A channel
/// that feeds another one shortens the other's plan when its own is cut.
class Senders {
 public:
  /// The objects must outlive this one.
  Senders(Agenda agenda, WormChannels& channels, PacketStore& packets, FlitRuns& runs, SlackBuffers& slack,
          DeadlockTimers& timers, ChannelLoads& loads, Time cable, SenderListener& listener);

  /// The channel is the passage's until its last flit.
  void hand_to(Index channel, Index passage);
  /// Continues with the packet that the channel is to carry, if it may; if it only has to wait for a time
  /// that is known, it is tried again then.
  void try_to_send(Index channel);
  /// The same for the channel that this one feeds, if there is one.
  void try_to_send_follower(Index channel);
  /// WormEvent::run_is_over; does nothing if the channel's run ends at another time.
  void run_ends(Index channel);
  /// WormEvent::stop_arrives and go_arrives.
  void hear(Index channel, bool stop);
  /// Gives the present run another end, which lies ahead.
  void plan_end(Index channel, Count end);
  /// The channel that this one feeds was planned to continue with flits that now don't come as planned: none
  /// from `end` on.
  void shorten_follower(Index channel, Count end);

 private:
  Count planned_end(const Channel& channel, Count next) const;
  void begin_run(Index channel);
  void cut(Index channel);

  Agenda agenda_;
  const WormChannels& layout_;
  std::span<Channel> channels_;
  PacketStore& packets_;
  FlitRuns& runs_;
  SlackBuffers& slack_;
  DeadlockTimers& timers_;
  ChannelLoads& loads_;
  Time cable_;
  SenderListener& listener_;
};

}  // namespace morgana::myrinet
