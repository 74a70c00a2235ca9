#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/network/fabric/packet.h"

namespace morgana::fabric {

/// What one direction of a cable has carried.
struct LinkCount {
  std::int64_t packets = 0;
  std::int64_t bytes = 0;  ///< on the link, without gaps
};

/// What the channels of a network have carried, by virtual channel, and what became of packets in front of
/// them.
class LinkCounts {
 public:
  LinkCounts(std::size_t channels, unsigned virtual_channels)
      : virtual_channels_(virtual_channels),
        carried_(channels * virtual_channels),
        marked_(carried_.size()),
        trimmed_(carried_.size()),
        pause_frames_(channels) {}

  /// Where the counts of a virtual channel stand.
  std::size_t place_of(CableChannel channel, unsigned virtual_channel) const {
    return channel * virtual_channels_ + virtual_channel;
  }
  /// A packet starts on the channel. @param place  place_of() it
  void carry(std::size_t place, CableChannel channel, const Packet& packet) {
    ++carried_[place].packets;
    carried_[place].bytes += packet.size.count();
    if (!followed_.empty()) follow(channel, packet);
  }
  const LinkCount& carried(CableChannel channel, unsigned virtual_channel) const {
    return carried_[place_of(channel, virtual_channel)];
  }
  /// Over all virtual channels.
  LinkCount carried(CableChannel channel) const;

  /// A packet was marked in the channel's queue.
  void mark(CableChannel channel, unsigned virtual_channel) { ++marked_[place_of(channel, virtual_channel)]; }
  std::int64_t marked(CableChannel channel, unsigned virtual_channel) const {
    return marked_[place_of(channel, virtual_channel)];
  }
  /// A packet of the channel's queue was cut to its header, as the queue was full.
  void trim(CableChannel channel, unsigned virtual_channel) {
    ++trimmed_[place_of(channel, virtual_channel)];
  }
  std::int64_t trimmed(CableChannel channel, unsigned virtual_channel) const {
    return trimmed_[place_of(channel, virtual_channel)];
  }
  void send_pause_frame(CableChannel channel) { ++pause_frames_[channel]; }
  std::uint64_t pause_frames(CableChannel channel) const { return pause_frames_[channel]; }

  /// From now on followed() says by which channels packets between two of these ports went.
  void follow(const std::vector<bool>& ports) {
    ports_ = ports;
    followed_.assign(pause_frames_.size(), false);
  }
  /// True where no ports are followed.
  bool followed(CableChannel channel) const { return followed_.empty() || followed_[channel]; }

 private:
  void follow(CableChannel channel, const Packet& packet);

  unsigned virtual_channels_;
  std::vector<LinkCount> carried_;           // by channel and virtual channel
  std::vector<std::int64_t> marked_;         // likewise
  std::vector<std::int64_t> trimmed_;        // likewise
  std::vector<std::uint64_t> pause_frames_;  // by channel
  std::vector<bool> ports_;                  // that are followed
  std::vector<bool> followed_;               // by channel; none: no ports are followed
};

}  // namespace morgana::fabric
