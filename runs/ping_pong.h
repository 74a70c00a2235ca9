#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/platform/platform.h"

namespace morgana {

/// Which two ranks play ping-pong.
enum class PingPongPlaces : std::uint8_t {
  two_hosts,  ///< the first two hosts
  one_host,   ///< two processors of the first host
};

/// A message goes to and fro between two ranks that do nothing else, with blocking calls; without any
/// process.
/// @param rounds  of there and back, > 0
/// @return what one way takes, in the mean
/// @throws Error where the ranks can't be placed so, or a message is lost and not repeated
SimTime ping_pong(const Platform& platform, PingPongPlaces places, Bytes size, std::size_t rounds,
                  std::uint64_t seed);

/// Messages follow each other from the first rank to the second, on two hosts that do nothing else.
/// @param window  nonblocking messages between two receipts of 4 bytes, as in osu_bw (64). 0: blocking calls,
/// and the receiver's time after the first of 17 counts, as in network.measure
/// @return the time from one message to the next, in the mean
/// @throws Error as ping_pong()
SimTime message_stream(const Platform& platform, Bytes size, std::size_t window, std::uint64_t seed);

}  // namespace morgana
