#pragma once

#include <cstddef>
#include <optional>
#include <span>

#include "emulator/pipeline/stage.h"

namespace morgana::pipeline {

// Fragments of different sizes (section 4).

/// The sizes of `count` fragments with which neither of two stages ever waits: x_{i+1} G_0 + g_0 = x_i G_1 +
/// g_1 (Theorem 4). They rise if the second stage is slower and fall if it is faster. Nothing if a fragment
/// would have less than a byte: no first size makes that many fragments free of stalls.
///
/// The sum is solved by its recurrence. In print, Eq. 18 lacks a fraction bar and is right for a = 2 only: it
/// should end in b / (a - 1) ((a^k - a) / (a - 1) - k + 1).
std::optional<Sizes> ramp_up(const Stage& first, const Stage& second, RealBytes message, std::size_t count);

/// Sizes that rise by `up` - 1 steps, so that the first two of three stages never wait, to the largest one,
/// x_c, and fall by `down` - 1 steps, so that the last two never do (Theorem 5): up + down - 1 fragments.
/// (The paper has k_1 + k_2 = k and counts x_c twice.) Optimal if the middle stage is the slowest with
/// fragments of any size. Nothing if a fragment would have less than a byte.
std::optional<Sizes> ramp_up_and_down(std::span<const Stage, 3> stages, RealBytes message, std::size_t up,
                                      std::size_t down);

}  // namespace morgana::pipeline
