#pragma once

#include <tsl/robin_map.h>

#include <cstdint>

#include "emulator/core/end_of_time.h"
#include "emulator/host/host_id.h"

namespace morgana {

struct MemoryBusParameters {
  ByteCost copy;         ///< a processor's time for a byte that crosses the bus, alone on it; >= occupancy
  ByteCost occupancy;    ///< of the bus by a byte that is copied: it is read and written
  ByteCost cached_copy;  ///< a processor's time for a byte of a buffer that its cache holds
  Bytes cache;           ///< buffers up to this size are in the cache of the processor that copies them
};

/// The hosts' memory buses, which processors that copy share. The bus is granted for a piece of a copy at a
/// time (a page, as kernels copy page by page), to the one who asked first; between two who copy at once the
/// pieces alternate. A copy within the cache does not need it.
class MemoryBus {
 public:
  explicit MemoryBus(const MemoryBusParameters& parameters) : parameters_(parameters) {}

  /// A processor that is free at `from` copies a piece of a buffer. @param whole  the buffer's size
  /// @return when it is done
  SimTime copy(HostId host, Bytes piece, Bytes whole, SimTime from) {
    if (whole <= parameters_.cache)
      return time_before_end(from + time_before_end(parameters_.cached_copy, piece));
    SimTime& free = free_[static_cast<std::uint32_t>(host)];
    const SimTime begin = free > from ? free : from;
    free = time_before_end(begin + time_before_end(parameters_.occupancy, piece));
    return time_before_end(begin + time_before_end(parameters_.copy, piece));
  }

 private:
  MemoryBusParameters parameters_;
  tsl::robin_map<std::uint32_t, SimTime> free_;  // by host that has used its bus: from when on it is free
};

}  // namespace morgana
