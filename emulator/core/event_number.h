#pragma once

#include <cstdint>

namespace morgana {

/// The number that an event carries to its handler, of two parts: what is to be done, and with which of
/// several.
struct EventNumber {
  std::uint32_t what;
  std::uint32_t which;

  constexpr std::uint64_t packed() const { return std::uint64_t{what} << 32 | which; }
  static constexpr EventNumber unpacked(std::uint64_t number) {
    return {static_cast<std::uint32_t>(number >> 32), static_cast<std::uint32_t>(number)};
  }
};

}  // namespace morgana
