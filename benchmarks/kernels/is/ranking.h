#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "benchmarks/kernels/common/split.h"
#include "benchmarks/kernels/common/team.h"
#include "benchmarks/kernels/is/published_ranks.h"

namespace morgana::kernels {

using Keys = std::vector<std::int32_t>;

/// The keys' ranks as one worker knows them: of the values that it has become the owner of.
struct RankedKeys {
  Interval values;
  Keys keys;                                     ///< all keys of those values, from all workers
  int below = 0;                                 ///< how many keys of all workers are less than values.begin
  std::vector<std::int32_t> less;                ///< of each value, how many of these keys are less
  std::array<std::int32_t, rank_tests> tests{};  ///< the values of the test keys
};

/// Ranks the keys that the workers hold together.
class Ranking {
 public:
  /// @param range  values lie in [0, range), a power of two
  /// @param places  of the test keys in the whole sequence
  Ranking(Team& team, int count, int range, std::array<int, rank_tests> places);

  RankedKeys rank(const Keys& own);

 private:
  void tell_counts(const Keys& own);
  std::vector<Interval> ranges_of_buckets() const;
  void redistribute(const Keys& own, const std::vector<Interval>& ranges, Keys& result);

  Team& team_;
  int range_, buckets_, shift_;
  Interval own_places_;
  int count_;
  std::array<int, rank_tests> places_;
  /// Of each worker: how many of its keys fall into each bucket, then those of the test keys that it holds.
  std::vector<std::vector<std::int32_t>> counts_;
};

}  // namespace morgana::kernels
