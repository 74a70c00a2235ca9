#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "emulator/core/time.h"

namespace morgana {

/// A stream of random numbers named after what it drives: the same seed and name always give the same
/// numbers, whatever other streams exist. Generator: xoshiro256++ (Blackman and Vigna, 2019), seeded by
/// SplitMix64 from the seed and the name's FNV-1a hash.
class RandomStream {
 public:
  RandomStream(std::uint64_t seed, std::string_view name);

  std::uint64_t next();
  /// Uniform in [0, 1).
  double uniform();
  /// Uniform in 0 .. bound-1; @param bound > 0. No bias.
  std::uint64_t below(std::uint64_t bound);
  /// Exponentially distributed around `mean`, to the nearest picosecond.
  SimTime exponential(SimTime mean);
  bool chance(double probability) { return uniform() < probability; }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace morgana
