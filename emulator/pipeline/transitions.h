#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "emulator/pipeline/stage.h"

namespace morgana::pipeline {

/// Where the bottleneck moves when fragments grow.
struct Transition {
  Bytes size;  ///< the smallest fragment for which `to` is the bottleneck
  std::size_t from = 0, to = 0;
};

/// All transitions from `least` up to `most`, found as a pipeline that is seen only from outside must be
/// (section 5.3.2): by asking for the bottleneck at both ends and, where these differ, in the middle, and so
/// on. Between two sizes with the same bottleneck there is no other one, times being linear in the size.
/// @param bottleneck_at  which stage is the slowest for fragments of that size
std::vector<Transition> transitions(const std::function<std::size_t(Bytes)>& bottleneck_at, Bytes least,
                                    Bytes most);

/// The same of a pipeline whose stages are known.
std::vector<Transition> transitions(std::span<const Stage> stages, Bytes least, Bytes most);

}  // namespace morgana::pipeline
