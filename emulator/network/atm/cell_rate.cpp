#include "emulator/network/atm/cell_rate.h"

#include <algorithm>
#include <cmath>

namespace morgana::atm {
namespace {

constexpr RateField not_zero = 1U << 14;
constexpr int largest_exponent = 31;

}  // namespace

RateField encode_rate(double cells_per_second) {
  if (!(cells_per_second >= 1)) return 0;
  int exponent = 0;
  double fraction = std::frexp(cells_per_second, &exponent);  // 0.5 to 1
  --exponent;
  int mantissa = static_cast<int>((2 * fraction - 1) * 512);
  if (exponent > largest_exponent) {
    exponent = largest_exponent;
    mantissa = 511;
  }
  return static_cast<RateField>(not_zero | exponent << 9 | mantissa);
}

double decode_rate(RateField field) {
  if ((field & not_zero) == 0) return 0;
  return std::ldexp(1 + (field & 511) / 512.0, field >> 9 & largest_exponent);
}

}  // namespace morgana::atm
