#pragma once

#include <cstddef>
#include <span>

#include "emulator/pipeline/stage.h"

namespace morgana::pipeline {

/// Sizes than which no others of that number arrive earlier, and when they arrive.
struct Optimum {
  Sizes sizes;
  RealTime latency;
};

/// The exact optimum for `count` fragments without reassembly or refragmentation: the linear programme of
/// section 2, solved by GLPK's simplex method. Each fragment has at least one byte.
///
/// What is solved is its dual, which has half as many rows. A latency is the longest of all ways through the
/// grid of fragments and stages; the dual spreads one unit of flow over these ways so that as much overhead
/// as possible lies on them, and the message's bytes where they cost most however they are cut. The sizes are
/// the shadow prices.
/// @param count  at least 1, at most one for a byte
Optimum optimum(std::span<const Stage> stages, RealBytes message, std::size_t count);

/// The search over the number of fragments.
struct OptimumSearch {
  Optimum best;
  bool complete = true;  ///< no number of fragments does better; else more than `most` may
};
/// Tries every number of fragments up to `most` that could do better than the best one so far: k fragments
/// take at least k g_j + B G_j in stage j, and the other stages' overheads.
OptimumSearch search_optimum(std::span<const Stage> stages, RealBytes message, std::size_t most);

}  // namespace morgana::pipeline
