#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

#include "emulator/pipeline/stage.h"

namespace morgana::pipeline::test {

/// Pipelines and messages as they come; the same for the same number.
class RandomCase {
 public:
  explicit RandomCase(std::uint64_t number) : engine_(number) {}

  /// From `low` to `high`, every order of magnitude as likely as the next.
  double between(double low, double high) {
    return std::exp(std::uniform_real_distribution<double>(std::log(low), std::log(high))(engine_));
  }
  std::size_t whole(std::size_t least, std::size_t most) {
    return std::uniform_int_distribution<std::size_t>(least, most)(engine_);
  }
  /// Overheads of 1 to 100 us, and 1 to 100 us/KB.
  Stages stages(std::size_t count) {
    Stages stages;
    for (std::size_t j = 0; j < count; ++j)
      stages.push_back({"", RealTime(between(1e6, 1e8)), RealCost(between(1e6, 1e8) / 1024)});
    return stages;
  }
  RealBytes message() { return RealBytes(std::round(between(64, 1 << 20))); }
  /// Parts of the message, however they come, of at least a byte.
  Sizes cut(RealBytes message, std::size_t count) {
    std::vector<double> parts;
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += parts.emplace_back(between(1e-3, 1));
    const RealBytes rest = message - RealBytes(static_cast<double>(count));
    Sizes sizes;
    for (const double part : parts) sizes.push_back(RealBytes(1) + rest * (part / sum));
    return sizes;
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace morgana::pipeline::test
