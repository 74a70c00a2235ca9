#pragma once

#include <array>
#include <optional>

#include "benchmarks/kernels/common/kernel.h"

namespace morgana::kernels {

inline constexpr std::size_t rank_tests = 5;

/// Five keys whose ranks are published for every ranking.
struct PublishedRanks {
  std::array<int, rank_tests> places;  ///< of the keys in the sequence
  std::array<int, rank_tests> ranks;   ///< before the drift below
  std::size_t rising;                  ///< the first so many ranks rise with each ranking, the others fall
  int rise_from, fall_from;            ///< the ranking whose number is taken off that drift

  /// The rank of test key `test` in ranking `number`, which counts from 1.
  int expected(std::size_t test, int number) const {
    return test < rising ? ranks[test] + (number - rise_from) : ranks[test] - (number - fall_from);
  }
};

/// Those of the classes S, W and A; nothing for other sizes.
/// Source: the verification values of the NAS Parallel Benchmarks.
std::optional<PublishedRanks> published_ranks(const Sizes& sizes);

}  // namespace morgana::kernels
