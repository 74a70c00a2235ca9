#pragma once

#include <cstdint>
#include <vector>

#include "emulator/core/link_load.h"
#include "emulator/core/time.h"
#include "emulator/network/myrinet/agenda.h"
#include "emulator/network/myrinet/flit_runs.h"
#include "emulator/network/myrinet/worm_channels.h"

namespace morgana::myrinet {

/// What the channels have carried, and how long they were stopped, since the start or the last
/// begin_window().
class ChannelLoads {
 public:
  /// The objects must outlive this one.
  ChannelLoads(Agenda agenda, WormChannels& channels, const FlitRuns& runs);

  void begin_window();
  Time window() const { return agenda_.now() - start_; }
  /// As MyrinetNetwork's functions of the same names.
  std::int64_t flits_carried(Index channel) const;
  SimTime time_stopped(Index channel) const;
  double utilisation(Index channel) const;
  NetworkLinks links(SimTime until) const;

  /// From now on packets between these ports are followed. @param ports  by number
  void follow_ports(const std::vector<bool>& ports) { followed_ports_ = ports; }
  /// The channel is to send a packet of that unit.
  void carries(Index channel, const Unit& unit) {
    if (!followed_ports_.empty() && are_both(followed_ports_, unit)) followed_[channel] = true;
  }

 private:
  Agenda agenda_;
  WormChannels& channels_;
  const FlitRuns& runs_;
  Time start_;
  std::vector<std::int64_t> before_;  // flits that a channel carried before the window
  std::vector<bool> followed_ports_;  // by number; none: no ports are followed
  std::vector<bool> followed_;        // by channel, sinks too: a packet between them was sent, or may be next
};

}  // namespace morgana::myrinet
