#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/host/host_id.h"

namespace morgana {

/// What a pair of connections, one for each direction, is found by.
struct ChannelEnds {
  HostId low, high;
  std::uint64_t channel;  ///< Shipment::channel
  bool operator==(const ChannelEnds&) const = default;
};

struct ChannelEndsHash {
  std::size_t operator()(const ChannelEnds& ends) const {
    std::uint64_t mixed = (std::uint64_t{index(ends.low)} << 32 | index(ends.high)) * 0x9e3779b97f4a7c15;
    mixed = (mixed ^ ends.channel) * 0xd6e8feb86659fd93;
    return mixed ^ mixed >> 32;
  }
};

}  // namespace morgana
