#include <cmath>

#include "emulator/network/fabric/packet.h"
#include "emulator/routing/nonminimal.h"

namespace morgana::fabric {

namespace {

/// 0 .. 1, for a packet and a channel. @param purpose  of the draw
double drawn_share(std::uint64_t number, CableChannel channel, std::uint64_t purpose) {
  return static_cast<double>(drawn(channel, number, purpose) >> 11) * 0x1.0p-53;
}

}  // namespace

bool has_bit_error(double bit_error_rate, Bytes size, std::uint64_t number, CableChannel channel) {
  if (bit_error_rate <= 0) return false;
  const double probability = -std::expm1(8 * static_cast<double>(size.count()) * std::log1p(-bit_error_rate));
  return drawn_share(number, channel, 2) < probability;
}

bool is_marked(const MarkParameters& marks, Bytes queued, std::uint64_t number, CableChannel channel) {
  if (marks.to <= Bytes(0) || queued <= marks.from) return false;
  if (queued > marks.to) return true;
  const double part = static_cast<double>((queued - marks.from).count()) /
                      static_cast<double>((marks.to - marks.from).count());
  return drawn_share(number, channel, 3) < marks.share * part;
}

bool trims_last(std::uint64_t number, CableChannel channel) {
  return drawn_share(number, channel, 4) < 0.5;
}

}  // namespace morgana::fabric
