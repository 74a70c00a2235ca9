#include <cmath>

#include "emulator/network/fabric/packet.h"
#include "emulator/routing/nonminimal.h"

namespace morgana::fabric {

bool has_bit_error(double bit_error_rate, Bytes size, std::uint64_t number, CableChannel channel) {
  if (bit_error_rate <= 0) return false;
  const double probability = -std::expm1(8 * static_cast<double>(size.count()) * std::log1p(-bit_error_rate));
  return static_cast<double>(drawn(channel, number, 2) >> 11) * 0x1.0p-53 < probability;
}

}  // namespace morgana::fabric
