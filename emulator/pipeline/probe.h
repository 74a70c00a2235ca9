#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "emulator/pipeline/regression.h"
#include "emulator/pipeline/stage.h"

namespace morgana::pipeline {

// Measuring a pipeline from outside (section 5.3.2).

/// A pipeline that is seen only from outside: sends fragments, one behind the other as quickly as it takes
/// them, through the idle pipeline. @return when each has come out, from the first one's entry on
using BlackBox = std::function<std::vector<SimTime>(std::span<const Bytes>)>;

struct ProbeSettings {
  Bytes least{1024}, most{64 * 1024};  ///< the sizes that are sent; 0 < least < most
  std::size_t burst = 16;              ///< fragments that are sent back to back, >= 4
  double bound = 0.05;                 ///< what a straight line may be off, as a share of what was measured
};

/// What was measured with fragments of one size.
struct ProbeSample {
  Bytes size;
  RealTime latency;            ///< of one by itself
  RealTime interval;           ///< mean of those between the last half of a burst
  RealTime shortest, longest;  ///< of these
};

/// A straight line through what was measured.
struct ProbedLine {
  LinearFit line;
  double worst = 0;  ///< the greatest error, as a share of what was measured
};

/// @param timings  of two different sizes at least
ProbedLine probed_line(std::span<const Timing> timings);

/// Sizes with which the pipeline has the same parameters.
struct ProbedRange {
  Bytes least, most;
  std::vector<ProbeSample> samples;
  ProbedLine latency;   ///< (sum g, sum G): what one fragment needs, as if there were one stage
  ProbedLine interval;  ///< (g_b, G_b): the slowest stage

  /// sum of G_j, j != b: what else the fixed-size theorem needs, >= 0.
  RealCost other_costs() const;
  /// The theorem's size of fragments for a message (Eq. 6); infinite where nothing else takes time.
  RealBytes best_size(RealBytes message) const;
};

/// Where one range ends and the next begins.
struct Boundary {
  /// What a pipeline's parameters do there; all but the first are something that no pipeline does.
  enum class Kind {
    bottleneck,  ///< another stage is the slowest from there on: the interval's line gets steeper
    step,        ///< latency or interval jumps by more than the bound
    bend,        ///< the interval's line gets flatter, or the latency's another one
  };
  Bytes size;  ///< the least of the upper range
  Kind kind = Kind::bottleneck;
  double jump = 0;  ///< the greater of latency's and interval's, as a share
};

struct ProbeResult {
  std::vector<ProbedRange> ranges;   ///< at least one, by size
  std::vector<Boundary> boundaries;  ///< one fewer
  /// Latency of `count` equal fragments of the message: what one takes, and what each further one takes in
  /// the slowest stage. Nothing if they are smaller or larger than what was measured.
  std::optional<RealTime> latency_of_equal(RealBytes message, std::size_t count) const;
  /// The number with the least such latency, the least of several. @param message  within what was measured
  std::size_t best_equal_count(RealBytes message) const;
};

/// Sends fragments of several sizes, alone and in bursts, and fits straight lines to what they take. Where
/// one is off by more than the bound, the sizes at which parameters change are found by bisection.
ProbeResult probe(const BlackBox& box, const ProbeSettings& settings);

}  // namespace morgana::pipeline
