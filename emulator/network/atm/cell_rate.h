#pragma once

#include <cstdint>

#include "emulator/core/units.h"

namespace morgana::atm {

/// Rates in resource management cells are cells a second in 16 bits: one bit that is 0 for no rate, five of
/// exponent and nine of mantissa, 2^e (1 + m/512).
///
/// Source: ITU-T I.371, 1996, 5.5.3.3; ATM Forum, Traffic Management Specification 4.0, 1996, 5.10.3.2.
using RateField = std::uint16_t;

/// The largest rate of this form that is not above `cells_per_second`; below one cell a second: none.
RateField encode_rate(double cells_per_second);
/// In cells a second.
double decode_rate(RateField field);

/// Of a rate that counts the 53 octets of each cell.
inline double cells_per_second(BitRate rate) {
  return static_cast<double>(rate.bits_per_second()) / (8 * 53);
}
inline double bits_per_second(double cells_per_second) {
  return cells_per_second * 8 * 53;
}

}  // namespace morgana::atm
