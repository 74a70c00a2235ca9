#pragma once

#include <cstdint>

namespace morgana {

/// The number of an event or a shipment: which message (or access) it is about, and which leg of its way.
template <typename Leg>
struct LegNumber {
  std::uint32_t message;
  Leg leg;

  std::uint64_t packed() const {
    return std::uint64_t{message} << leg_bits | static_cast<std::uint64_t>(leg);
  }
  static LegNumber unpacked(std::uint64_t number) {
    return {static_cast<std::uint32_t>(number >> leg_bits), static_cast<Leg>(number & leg_mask)};
  }

 private:
  static constexpr unsigned leg_bits = 5;
  static constexpr std::uint64_t leg_mask = (1U << leg_bits) - 1;
};

}  // namespace morgana
