#pragma once

#include <cstdint>
#include <ostream>

namespace morgana::testing {

/// A frame handed to a host's interface.
struct HandedFrame {
  std::int64_t at;  ///< ps
  std::uint32_t from, to;
  std::int64_t bytes;  ///< of cells
  bool operator==(const HandedFrame&) const = default;
};

inline std::ostream& operator<<(std::ostream& out, const HandedFrame& frame) {
  return out << frame.at << " ps: " << frame.from << " to " << frame.to << ", " << frame.bytes << " B";
}

}  // namespace morgana::testing
