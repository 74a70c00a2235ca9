#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "emulator/pipeline/compound.h"
#include "emulator/pipeline/schedule.h"
#include "emulator/pipeline/stage.h"

namespace morgana::pipeline {

/// A pipeline around its bottleneck: the stages before it and those behind it are a compound stage each.
/// Fragments are put together before the bottleneck and taken apart behind it (section 4.3).
class Hierarchy {
 public:
  /// How a message is cut for the bottleneck, and how long it takes by the model of compound stages.
  struct Plan {
    Sizes sizes;
    RealTime latency;
  };

  /// @param bottleneck  one of the stages: the slowest, unless the caller knows better
  Hierarchy(std::span<const Stage> stages, std::size_t bottleneck);

  /// One, two or three: what is before the bottleneck, it, what is behind it.
  const std::vector<CompoundStage>& levels() const { return levels_; }

  /// Equal fragments at the bottleneck, `count` of them.
  Plan equal(RealBytes message, std::size_t count) const;
  /// As many of them as arrive earliest (algorithm B of section 5.5).
  Plan best_equal(RealBytes message) const;

  /// Fragments that rise towards the largest one in `up` - 1 steps and fall in `down` - 1 (algorithms C and
  /// C'). The compound stages' costs are fitted over the sizes that come out, until these stay. Nothing if no
  /// sizes keep the stages busy.
  std::optional<Plan> ramp(RealBytes message, std::size_t up, std::size_t down) const;
  /// Whichever arrives earliest, with `count` fragments if that is given.
  std::optional<Plan> best_ramp(RealBytes message, std::optional<std::size_t> count) const;

  /// The pieces at each of the stages.
  Pieces pieces(const Sizes& sizes, Bytes message) const;

 private:
  RealTime latency(const Sizes& sizes) const;
  const CompoundStage& bottleneck() const { return levels_[bottleneck_]; }

  std::vector<CompoundStage> levels_;
  std::size_t bottleneck_;  ///< of the levels
};

/// The general recipe (section 4.4), around the stage that is slowest with the best equal fragments. It is
/// one level deep: within a compound stage sub-fragments are equal and go through as they are.
Hierarchy around_bottleneck(std::span<const Stage> stages, RealBytes message);

}  // namespace morgana::pipeline
