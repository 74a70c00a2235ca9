#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"

namespace morgana {

/// How parallel computing servers join stations, and what relaying takes.
struct OverlayParameters {
  enum class Shape : std::uint8_t { ring, tree };
  Shape shape = Shape::ring;
  std::uint32_t stations = 4;    ///< hosts at each server, one server after the other, >= 1
  std::uint32_t arity = 2;       ///< of a tree: servers below each server, >= 1
  Bytes packet{9168};            ///< data of a relayed packet, > 0; longer messages take several
  std::uint32_t processors = 1;  ///< of each server, >= 1
  SimTime relay;                 ///< a server's processor time for each packet, >= 0
  ByteCost relay_per_byte;       ///< the same of each byte of it, header included

  /// Servers for so many hosts.
  std::uint32_t servers(std::size_t hosts) const {
    return static_cast<std::uint32_t>((hosts + stations - 1) / stations);
  }
  /// @throws Error naming what is out of range
  void check() const;
};

}  // namespace morgana
