#pragma once

#include "emulator/core/random.h"

namespace morgana {

/// Exponentially distributed around 1, several times faster than by a logarithm, and no approximation: the
/// ziggurat of 256 layers takes or rejects each draw by the exact density. For background traffic, which
/// draws hundreds of millions of them. Source: G. Marsaglia, W. W. Tsang: The Ziggurat Method for Generating
/// Random Variables, Journal of Statistical Software 5 (8), 2000.
class Ziggurat {
 public:
  Ziggurat();
  double exponential(RandomStream& random) const {
    const std::uint64_t word = random.next();
    const std::size_t layer = word & 255;
    const std::uint64_t place = word >> 11;  // other bits than the layer's
    const double x = static_cast<double>(static_cast<std::int64_t>(place)) * width_[layer];
    if (place < inside_[layer]) [[likely]]
      return x;
    // By a copy, so that the caller's stream may stay in registers.
    RandomStream edge = random;
    const double drawn = at_the_edge(layer, x, edge);
    random = edge;
    return drawn;
  }

 private:
  double at_the_edge(std::size_t layer, double x, RandomStream& random) const;

  std::array<std::uint64_t, 256> inside_;  // below this the place lies wholly under the curve
  std::array<double, 256> width_;          // of a layer, by 2^-53
  std::array<double, 256> height_;         // of the curve at a layer's end
};

/// The one table that all share.
const Ziggurat& ziggurat();

}  // namespace morgana
