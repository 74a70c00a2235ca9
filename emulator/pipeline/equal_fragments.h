#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "emulator/pipeline/stage.h"

namespace morgana::pipeline {

// Fragments of equal size (section 3).

/// The latency of `count` equal fragments: what one takes in all stages, and what each further one takes in
/// the slowest (Eq. 10 with whichever bottleneck that size has).
RealTime latency_of_equal(std::span<const Stage> stages, RealBytes message, std::size_t count);

Sizes equal_fragments(RealBytes message, std::size_t count);

/// The real number of fragments at which latency would be least if stage b were always the bottleneck (Eq.
/// 12); infinite for a bottleneck without overhead. Of all parameters only g_b and the other stages' G count.
double signature_optimum(std::span<const Stage> stages, RealBytes message, std::size_t bottleneck);

/// The number of equal fragments with the least latency, from 1 to one a byte and most_fragments; the least
/// of several.
///
/// Latency over k is the greatest of all stages' signature curves c1 k + c2 / k + c3 (section 3.2), so it is
/// convex, and the best whole number lies beside its minimum: the minimum of a signature curve, or a point
/// where the bottleneck moves. The floor and the ceiling of all these are the candidates; what lies on a
/// signature curve but below the latency curve (a false minimum) loses by itself.
std::size_t best_equal_count(std::span<const Stage> stages, RealBytes message);

/// Fragments of `size` and a shorter last one: what GAM (4096 bytes) and FM (128) do with every message.
std::vector<Bytes> static_fragments(Bytes message, Bytes size);

}  // namespace morgana::pipeline
