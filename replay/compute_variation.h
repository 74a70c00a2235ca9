#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/operations/operation.h"

namespace morgana {

/// Ranks whose computing takes `factor` times as long (stragglers; below 1: faster ones).
struct SlowRanks {
  std::uint32_t first = 0, last = 0;  ///< first <= last
  double factor = 1;                  ///< > 0
  std::string text;                   ///< as parsed: "3:x1.2"

  /// "3:x1.2" or "0..7:x1.1". @throws Error with a sentence for anything else
  static SlowRanks parse(std::string_view text);
};

/// By what each single computation's time is multiplied, drawn at random:
///   exponential:MEAN   1 + e, e exponentially distributed around MEAN: noise only delays
///   normal:SIGMA       1 + SIGMA z, z of the standard normal distribution; never below 0
///   lognormal:SIGMA    exp(SIGMA z): median 1
struct ComputeNoise {
  enum class Kind : std::uint8_t { exponential, normal, lognormal };
  Kind kind = Kind::exponential;
  double parameter = 0;  ///< > 0
  std::string text;      ///< as parsed: "lognormal:0.05"

  /// @throws Error with a sentence for anything else
  static ComputeNoise parse(std::string_view text);
  /// @param one, other  uniform in [0, 1), independent of each other
  double factor(double one, double other) const;
};

/// How the computing of a replay differs from what its trace says.
struct ComputeVariation {
  std::vector<SlowRanks> slow;  ///< factors of a rank that several name are multiplied
  std::optional<ComputeNoise> noise;
  std::vector<double> further;  ///< by rank: a factor more; may be shorter than there are ranks

  /// For people: "rank 3 x 1.2; noise lognormal:0.05"; empty if nothing differs.
  std::string text() const;
};

/// The varied computing times of one replay, and their sums. What is drawn depends on seed, rank and number
/// of the computation alone: not on the platform, nor on the order in which ranks go on.
class ComputeTimes {
 public:
  /// @throws Error if a slow rank is none of the run's
  ComputeTimes(const ComputeVariation& variation, std::size_t ranks, std::uint64_t seed);

  /// What a rank's computation takes that would take `time`. @param number  unique among the rank's
  /// @throws TimePastEnd
  SimTime of(Rank rank, std::uint64_t number, SimTime time);
  /// By rank, what of() has returned, added up; computations that a rank has side by side each count.
  const std::vector<SimTime>& computed() const { return computed_; }

 private:
  std::optional<ComputeNoise> noise_;
  std::vector<double> factors_;         // by rank
  std::vector<std::uint64_t> streams_;  // by rank: where its random numbers begin
  std::vector<SimTime> computed_;
};

/// Nothing where nothing varies.
std::optional<ComputeTimes> compute_times_of(const std::optional<ComputeVariation>& variation,
                                             std::size_t ranks, std::uint64_t seed);

}  // namespace morgana
