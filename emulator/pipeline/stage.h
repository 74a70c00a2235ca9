#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "emulator/pipeline/real.h"

/// How a message that is cut into fragments passes store-and-forward stages, and how to cut it so that it
/// arrives early. Source of everything in this module: R. Y. Wang, A. Krishnamurthy, R. P. Martin, T. E.
/// Anderson, D. E. Culler, Towards a Theory of Optimal Communication Pipelines, 1998; sections, equations and
/// theorems are that paper's.
namespace morgana::pipeline {

/// A store-and-forward stage: a copy, a DMA transfer, a wire, a disk. A fragment of x bytes occupies it for
/// g + x G (section 2).
struct Stage {
  std::string name;
  RealTime overhead;  ///< g, for each fragment
  RealCost cost;      ///< G, for each byte

  RealTime time_for(RealBytes size) const { return overhead + size * cost; }
  /// To the nearest picosecond.
  SimTime time_for(Bytes size) const;
};

/// At least one stage, in the order in which fragments pass them.
using Stages = std::vector<Stage>;

/// The sizes of fragments, in the order in which they are sent.
using Sizes = std::vector<RealBytes>;

/// What a message may be cut into at most; a fragment has at least one byte.
inline constexpr std::size_t most_fragments = 100'000;

/// The stage that takes longest with a fragment of `size`; the first of several.
std::size_t bottleneck(std::span<const Stage> stages, RealBytes size);

/// The same stages from the last to the first: the pipeline to which the reversed sizes are what the sizes
/// are to this one (Theorem 2).
Stages reversed(std::span<const Stage> stages);

/// No way of cutting `message` arrives before that (Eq. 5, for whichever stage gives the greatest bound).
RealTime lower_bound(std::span<const Stage> stages, RealBytes message);

// The pipelines of the paper.

/// Generic Active Messages on Myrinet (Table 1).
Stages gam();
/// The global memory system GMS: AN2 network and DEC Alpha hosts (Table 3).
Stages gms();
/// Section 5.5: a network of five times GAM's costs, for an overhead and for a byte.
Stages slow_network();
/// Section 5.5: the disk of Fig. 14, with an overhead of 4 ms and 5 MB/s, which are 200 us/KB there.
Stage disk();

}  // namespace morgana::pipeline
