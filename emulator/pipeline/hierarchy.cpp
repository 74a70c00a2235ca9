#include "emulator/pipeline/hierarchy.h"

#include <algorithm>
#include <utility>

#include "emulator/pipeline/equal_fragments.h"
#include "emulator/pipeline/exit_times.h"
#include "emulator/pipeline/ramp.h"

namespace morgana::pipeline {
namespace {

Stages between(std::span<const Stage> stages, std::size_t first, std::size_t end) {
  return {stages.begin() + static_cast<std::ptrdiff_t>(first),
          stages.begin() + static_cast<std::ptrdiff_t>(end)};
}

/// Sizes that keep the levels busy as Theorems 4 and 5 say.
std::optional<Sizes> ramp_through(const Stages& levels, RealBytes message, std::size_t up, std::size_t down) {
  if (levels.size() == 2) return ramp_up(levels[0], levels[1], message, up + down - 1);
  return ramp_up_and_down(std::span<const Stage, 3>(levels), message, up, down);
}

/// What the bottleneck takes with `count` fragments, however they are cut: less can't be.
RealTime inside(const Stage& bottleneck, RealBytes message, std::size_t count) {
  return static_cast<double>(count) * bottleneck.overhead + message * bottleneck.cost;
}

}  // namespace

Hierarchy::Hierarchy(std::span<const Stage> stages, std::size_t bottleneck)
    : bottleneck_(bottleneck > 0 ? 1 : 0) {
  if (bottleneck > 0) levels_.emplace_back(between(stages, 0, bottleneck));
  levels_.emplace_back(between(stages, bottleneck, bottleneck + 1));
  if (bottleneck + 1 < stages.size()) levels_.emplace_back(between(stages, bottleneck + 1, stages.size()));
}

RealTime Hierarchy::latency(const Sizes& sizes) const {
  return last_exit(sizes.size(), levels_.size(),
                   [&](std::size_t i, std::size_t j) { return levels_[j].time_for(sizes[i]); });
}

Hierarchy::Plan Hierarchy::equal(RealBytes message, std::size_t count) const {
  const RealBytes size = message / static_cast<double>(count);
  RealTime all, slowest;
  for (const CompoundStage& level : levels_) {
    const RealTime time = level.time_for(size);
    all += time;
    slowest = std::max(slowest, time);
  }
  return {Sizes(count, size), all + static_cast<double>(count - 1) * slowest};
}

Hierarchy::Plan Hierarchy::best_equal(RealBytes message) const {
  constexpr double most_tried = 4096;  // only a bottleneck with next to no overhead would want more
  const auto most = static_cast<std::size_t>(std::clamp(message.value(), 1.0, most_tried));
  const Stage& slowest = bottleneck().stages().front();
  Plan best = equal(message, 1);
  for (std::size_t count = 2; count <= most && inside(slowest, message, count) < best.latency; ++count) {
    Plan plan = equal(message, count);
    if (plan.latency < best.latency) best = std::move(plan);
  }
  return best;
}

std::optional<Hierarchy::Plan> Hierarchy::ramp(RealBytes message, std::size_t up, std::size_t down) const {
  const std::size_t count = up + down - 1;
  if (count == 1) return equal(message, 1);
  if (levels_.size() == 1) return std::nullopt;  // nothing to keep busy with more than one
  constexpr double few = 8;
  RealBytes least = std::max(message / (few * static_cast<double>(count)), RealBytes(1)), most = message;
  std::optional<Plan> plan;
  constexpr int most_rounds = 8;
  constexpr double too_narrow = 1.001;  // for a regression
  for (int round = 0; round < most_rounds && most >= least * too_narrow; ++round) {
    Stages simple;
    for (const CompoundStage& level : levels_) simple.push_back(level.simple(least, most));
    std::optional<Sizes> sizes = ramp_through(simple, message, up, down);
    if (!sizes) break;
    const auto [smallest, largest] = std::minmax_element(sizes->begin(), sizes->end());
    const bool same = *smallest == least && *largest == most;
    least = *smallest;
    most = *largest;
    const RealTime time = latency(*sizes);
    if (!plan || time < plan->latency) plan = Plan{std::move(*sizes), time};
    if (same) break;
  }
  return plan;
}

std::optional<Hierarchy::Plan> Hierarchy::best_ramp(RealBytes message,
                                                    std::optional<std::size_t> count) const {
  constexpr std::size_t most_steps = 64;
  const std::size_t most = count.value_or(most_steps);
  const Stage& slowest = bottleneck().stages().front();
  std::optional<Plan> best;
  if (!count) best = equal(message, 1);
  for (std::size_t fragments = count.value_or(2); fragments <= most; ++fragments) {
    if (best && inside(slowest, message, fragments) >= best->latency) break;
    // With two levels only the number of fragments matters.
    const std::size_t most_up = levels_.size() == 3 ? fragments : 1;
    for (std::size_t up = 1; up <= most_up; ++up) {
      std::optional<Plan> plan = ramp(message, up, fragments - up + 1);
      if (plan && (!best || plan->latency < best->latency)) best = std::move(plan);
    }
  }
  return best;
}

Pieces Hierarchy::pieces(const Sizes& sizes, Bytes message) const {
  const std::vector<Bytes> outer = whole_bytes(sizes, message);
  Pieces pieces;
  for (const CompoundStage& level : levels_) {
    std::vector<Bytes> inner;
    for (const Bytes fragment : outer) {
      const std::size_t count = level.sub_fragments(real(fragment));
      for (const Bytes piece : whole_bytes(equal_fragments(real(fragment), count), fragment))
        inner.push_back(piece);
    }
    pieces.insert(pieces.end(), level.stages().size(), inner);
  }
  return pieces;
}

Hierarchy around_bottleneck(std::span<const Stage> stages, RealBytes message) {
  const auto count = static_cast<double>(best_equal_count(stages, message));
  return {stages, bottleneck(stages, message / count)};
}

}  // namespace morgana::pipeline
