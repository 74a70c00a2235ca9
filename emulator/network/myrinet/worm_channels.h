#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "emulator/core/link_load.h"
#include "emulator/network/myrinet/worms.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::myrinet {

/// The channels of a network and where they lie: first the graph's, numbered as there (ports of switches,
/// then hosts), then as many sinks. Their number and ends never change; what happens on a channel is written
/// into it by the objects that send, receive and count there.
class WormChannels {
 public:
  /// The ports of a switch: as many outputs from `first_port` on.
  struct PortRange {
    std::uint32_t ports = 0;
    Index first_port = 0;
    Index end() const { return first_port + ports; }
  };

  /// @param graph  read only here
  explicit WormChannels(const SwitchGraph& graph);

  /// All of them; it stays where it is.
  std::span<Channel> all() { return channels_; }
  const Channel& operator[](Index channel) const { return channels_[channel]; }
  /// Those of the graph.
  Index count() const { return first_sink_; }
  std::size_t hosts() const { return arriving_.size(); }
  const std::vector<PortRange>& switches() const { return switches_; }
  unsigned most_ports() const { return most_ports_; }

  bool is_sink(Index channel) const { return channel >= first_sink_; }
  Index sink_of(Index input) const { return first_sink_ + input; }
  Index input_of_sink(Index sink) const { return sink - first_sink_; }
  bool sent_from_host(Index channel) const { return channel >= first_host_channel_ && channel < first_sink_; }
  Index host_channel(Index host) const { return first_host_channel_ + host; }
  Index sending_host(Index channel) const { return channel - first_host_channel_; }
  /// The channel from the host's switch to it.
  Index arriving(Index host) const { return arriving_[host]; }
  /// The channel that ends at a port of a switch, or none. @param port  its number in the graph
  Index input_at(Index port) const { return input_at_[port]; }
  /// Ports of switches in the graph.
  Index outputs() const { return first_host_channel_; }

  /// As SwitchGraph::describe, of a channel that leads somewhere.
  std::string describe(Index channel) const;
  LinkEnd sender(Index channel) const;
  LinkEnd receiver(Index channel) const;

 private:
  /// @param channel  sent by a switch
  Index sending_switch(Index channel) const;

  std::vector<Channel> channels_;
  std::vector<PortRange> switches_;
  std::vector<Index> arriving_;  // by host
  std::vector<Index> input_at_;  // by the port's number in the graph
  Index first_host_channel_ = 0, first_sink_ = 0;
  unsigned most_ports_ = 1;
};

}  // namespace morgana::myrinet
