#pragma once

#include <array>
#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"

namespace morgana::tcp {

/// A place in the stream of bytes that goes one way through a connection, from 0. (On the link it has 32
/// bits, and wraps; timestamps and windows below 2^30 make no difference.)
using Place = std::int64_t;

/// The bytes `begin` .. `end`-1 of a stream.
struct Range {
  Place begin = 0, end = 0;
  Bytes size() const { return Bytes(end - begin); }
  bool empty() const { return begin == end; }
  bool operator==(const Range&) const = default;
};

/// What the receiver has beyond the first gap: of a SACK option.
struct SackBlocks {
  static constexpr std::size_t most = 4;
  std::array<Range, most> ranges{};
  std::uint8_t count = 0;
};

/// What a segment carries.
struct Segment {
  std::uint32_t to = 0;           ///< the endpoint that it goes to
  std::uint32_t incarnation = 0;  ///< of the connection
  bool syn = false;
  bool acknowledges = false;  ///< ACK: all but the first SYN
  bool echoes_mark = false;   ///< ECE
  bool reduced = false;       ///< CWR
  bool repeated = false;      ///< data that was sent before
  bool marked = false;        ///< it came marked (CE)
  Range data{};               ///< empty: none
  Place expected = 0;         ///< the acknowledgement number
  SimTime value{}, echo{};    ///< of the timestamps option
  SackBlocks blocks{};        ///< of the SACK option
};

}  // namespace morgana::tcp
