#pragma once

#include <cstddef>
#include <cstdint>

#include "emulator/network/cells.h"

namespace morgana::ece {

/// What becomes of the ordinary connection while latency over it is high.
enum class LatencyEngine : std::uint8_t {
  switching,    ///< it is left: data take the backup connection alone
  duplicating,  ///< it is kept: data take both connections
};

enum class LatencyMode : std::uint8_t { low, high };  ///< latency of the ordinary connection

/// The connections of a pair of hosts that communicate, in this direction.
enum class Path : std::uint8_t {
  ordinary,  ///< UBR: data and monitoring cells
  backup,    ///< ABR: data while latency is high
  feedback,  ///< VBR, the other way: STAT, USTAT, LSTAT
  clock,     ///< CBR: the sender's time, where clocks are resynchronised
};
constexpr std::size_t paths = 4;
constexpr std::uint8_t number_of(Path path) {
  return static_cast<std::uint8_t>(path);
}

constexpr ServiceCategory category_of(Path path) {
  constexpr ServiceCategory categories[paths] = {ServiceCategory::ubr, ServiceCategory::abr,
                                                 ServiceCategory::vbr, ServiceCategory::cbr};
  return categories[number_of(path)];
}

// What the two engines do in their two modes: figures 6.6 to 6.12. How an SD goes, for the first time or
// again, depends on the mode at that moment alone: a status that changes the mode has what is missing sent
// again by the new one.

constexpr bool data_take_ordinary(LatencyEngine engine, LatencyMode mode) {
  return engine == LatencyEngine::duplicating || mode == LatencyMode::low;
}
constexpr bool data_take_backup(LatencyMode mode) {
  return mode == LatencyMode::high;
}
/// Whether POLLs go over the ordinary connection and serve as monitoring cells. Else they go over the backup
/// connection, and monitoring cells are sent in addition.
constexpr bool polls_monitor(LatencyEngine engine, LatencyMode mode) {
  return engine == LatencyEngine::duplicating || mode == LatencyMode::low;
}
/// SDs that come over the ordinary connection are monitored.
constexpr bool data_are_monitored(LatencyEngine engine, LatencyMode mode) {
  return engine == LatencyEngine::duplicating || mode == LatencyMode::low;
}
/// USTAT reports a gap in the numbers, and the SDs in it are sent again. (Of a duplicated SD the other copy
/// may be under way.)
constexpr bool gaps_are_told(LatencyEngine engine, LatencyMode mode) {
  return engine == LatencyEngine::switching || mode == LatencyMode::low;
}

}  // namespace morgana::ece
