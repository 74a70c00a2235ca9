#include "emulator/pipeline/equal_fragments.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace morgana::pipeline {
namespace {

/// The real fragment counts at which two stages take equally long.
std::vector<double> crossings(std::span<const Stage> stages, RealBytes message) {
  std::vector<double> counts;
  for (std::size_t p = 0; p < stages.size(); ++p) {
    for (std::size_t q = p + 1; q < stages.size(); ++q) {
      const RealTime overhead = stages[q].overhead - stages[p].overhead;
      const RealCost cost = stages[p].cost - stages[q].cost;
      if (cost.value() == 0 || overhead.value() / cost.value() <= 0) continue;
      counts.push_back(message / (overhead / cost));
    }
  }
  return counts;
}

}  // namespace

RealTime latency_of_equal(std::span<const Stage> stages, RealBytes message, std::size_t count) {
  const RealBytes size = message / static_cast<double>(count);
  RealTime all, slowest;
  for (const Stage& stage : stages) {
    all += stage.time_for(size);
    slowest = std::max(slowest, stage.time_for(size));
  }
  return all + static_cast<double>(count - 1) * slowest;
}

Sizes equal_fragments(RealBytes message, std::size_t count) {
  return Sizes(count, message / static_cast<double>(count));
}

double signature_optimum(std::span<const Stage> stages, RealBytes message, std::size_t bottleneck) {
  RealCost others;
  for (std::size_t j = 0; j < stages.size(); ++j)
    if (j != bottleneck) others += stages[j].cost;
  if (others.value() <= 0) return 1;  // nothing to overlap with
  if (stages[bottleneck].overhead <= RealTime(0)) return std::numeric_limits<double>::infinity();
  return std::sqrt(message * others / stages[bottleneck].overhead);
}

std::size_t best_equal_count(std::span<const Stage> stages, RealBytes message) {
  std::vector<double> candidates = crossings(stages, message);
  for (std::size_t b = 0; b < stages.size(); ++b) candidates.push_back(signature_optimum(stages, message, b));
  const double most = std::clamp(std::floor(message.value()), 1.0, static_cast<double>(most_fragments));
  std::size_t best = 1;
  RealTime least = latency_of_equal(stages, message, best);
  for (const double real_count : candidates) {
    for (const double whole : {std::floor(real_count), std::ceil(real_count)}) {
      const auto count = static_cast<std::size_t>(std::clamp(whole, 1.0, most));
      const RealTime time = latency_of_equal(stages, message, count);
      if (time > least || (time == least && count >= best)) continue;
      best = count;
      least = time;
    }
  }
  return best;
}

std::vector<Bytes> static_fragments(Bytes message, Bytes size) {
  std::vector<Bytes> sizes;
  for (Bytes left = message; left > Bytes(0); left -= sizes.back()) sizes.push_back(std::min(size, left));
  return sizes;
}

}  // namespace morgana::pipeline
