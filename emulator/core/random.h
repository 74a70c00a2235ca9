#pragma once

#include <array>
#include <bit>
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

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }
  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }
  /// Uniform in 0 .. bound-1; @param bound > 0. No bias.
  std::uint64_t below(std::uint64_t bound);
  /// Exponentially distributed around `mean`, to the nearest picosecond.
  SimTime exponential(SimTime mean);
  bool chance(double probability) { return uniform() < probability; }

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace morgana
