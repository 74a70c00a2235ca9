#pragma once

#include <cstdint>

namespace morgana::kernels {

/// The random numbers of the NAS Parallel Benchmarks: x(k+1) = a x(k) mod 2^46 with a = 5^13, scaled to (0,
/// 1). Source: Bailey et al., The NAS Parallel Benchmarks, 1991, section 2.3.
class NasRandom {
 public:
  explicit NasRandom(std::uint64_t seed) : state_(seed) {}

  double next() {
    state_ = (multiplier * state_) & mask;
    return static_cast<double>(state_) * 0x1p-46;
  }

  /// Goes on as after `count` calls of next().
  void skip(std::uint64_t count) {
    std::uint64_t power = multiplier;
    for (; count != 0; count >>= 1) {
      if (count & 1) state_ = (power * state_) & mask;
      power = (power * power) & mask;
    }
  }

 private:
  static constexpr std::uint64_t multiplier = 1220703125;
  static constexpr std::uint64_t mask = (std::uint64_t{1} << 46) - 1;

  std::uint64_t state_;
};

}  // namespace morgana::kernels
