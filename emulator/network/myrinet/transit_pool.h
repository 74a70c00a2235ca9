#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/network/myrinet/worms.h"

namespace morgana {

/// In-transit packets at a host's interface.
struct InTransitStatistics {
  std::uint64_t packets = 0;      ///< whose mark has arrived, overflows too
  std::uint64_t overflows = 0;    ///< found no space in the pool
  std::int64_t most_packets = 0;  ///< that the pool held at once
  std::int64_t most_bytes = 0;    ///< reserved in the pool at once
};

namespace myrinet {

/// The memory of a host's NIC for packets in transit. It holds at most its capacity.
class TransitPool {
 public:
  /// @param capacity  in bytes
  explicit TransitPool(std::int64_t capacity) : capacity_(capacity) {}

  /// A packet in transit arrives: reserves space for all of it. @return false if there is not enough
  bool reserve(std::int64_t bytes, Time now) {
    ++statistics_.packets;
    if (bytes_ + bytes > capacity_) {
      ++statistics_.overflows;
      return false;
    }
    fill(1, bytes, now);
    statistics_.most_packets = std::max(statistics_.most_packets, packets_);
    statistics_.most_bytes = std::max(statistics_.most_bytes, bytes_);
    return true;
  }
  /// A packet has left: of the size that it was reserved with.
  void release(std::int64_t bytes, Time now) { fill(-1, -bytes, now); }

  const InTransitStatistics& statistics() const { return statistics_; }
  void begin_window(Time now) {
    packet_time_ = 0;
    changed_at_ = now;
  }
  /// In the window, added up over packets.
  Time packet_time(Time now) const { return packet_time_ + packets_ * (now - changed_at_); }

 private:
  void fill(std::int64_t packets, std::int64_t bytes, Time now) {
    packet_time_ = packet_time(now);
    changed_at_ = now;
    packets_ += packets;
    bytes_ += bytes;
  }

  std::int64_t capacity_;
  std::int64_t packets_ = 0, bytes_ = 0;
  Time changed_at_ = 0;
  Time packet_time_ = 0;  // in the window, until then
  InTransitStatistics statistics_;
};

}  // namespace myrinet
}  // namespace morgana
