#include "benchmarks/kernels/ep/ep.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <optional>

#include "benchmarks/kernels/common/collectives.h"
#include "benchmarks/kernels/common/nas_random.h"
#include "benchmarks/kernels/common/text.h"

namespace morgana::kernels {
namespace {

constexpr std::size_t annuli = 10;

/// Sums of the deviates, and how many pairs of them lie in each annulus l <= max(|x|, |y|) < l + 1.
struct Tally {
  double sum_x = 0.0, sum_y = 0.0;
  std::array<double, annuli> counts{};

  double accepted() const {
    double sum = 0.0;
    for (const double count : counts) sum += count;
    return sum;
  }
};

Tally tally_of_pairs(std::uint64_t begin, std::uint64_t end) {
  NasRandom random(271828183);
  random.skip(2 * begin);
  Tally tally;
  for (std::uint64_t pair = begin; pair < end; ++pair) {
    const double x = 2.0 * random.next() - 1.0;
    const double y = 2.0 * random.next() - 1.0;
    const double square = x * x + y * y;
    if (square > 1.0) continue;
    const double factor = std::sqrt(-2.0 * std::log(square) / square);
    const double gauss_x = x * factor, gauss_y = y * factor;
    const auto annulus = static_cast<std::size_t>(std::max(std::abs(gauss_x), std::abs(gauss_y)));
    tally.counts[std::min(annulus, annuli - 1)] += 1.0;
    tally.sum_x += gauss_x;
    tally.sum_y += gauss_y;
  }
  return tally;
}

struct Published {
  int log_pairs;
  double sum_x, sum_y;
};

std::optional<Published> published(int log_pairs) {
  for (const Published& sums : {Published{24, -3.247834652034740e3, -6.958407078382297e3},
                                Published{25, -2.863319731645753e3, -6.320053679109499e3},
                                Published{28, -4.295875165629892e3, -1.580732573678431e4}}) {
    if (sums.log_pairs == log_pairs) return sums;
  }
  return std::nullopt;
}

void compare_with(const Published& sums, const Tally& tally, Outcome& outcome) {
  const double error = std::max(std::abs((tally.sum_x - sums.sum_x) / sums.sum_x),
                                std::abs((tally.sum_y - sums.sum_y) / sums.sum_y));
  outcome.passed = error <= 1e-8;
  outcome.figures += text_of("  published      %.12e %.12e\n  relative error %.1e, at most 1e-08\n",
                             sums.sum_x, sums.sum_y, error);
}

/// Without published sums: pi/4 of the pairs are accepted, and the sums of that many normal deviates have
/// that variance. Six standard deviations are exceeded twice in a thousand million cases.
void compare_with_chance(double pairs, const Tally& tally, Outcome& outcome) {
  const double rate = std::numbers::pi / 4.0;
  const double accepted = std::abs(tally.accepted() - rate * pairs) / std::sqrt(pairs * rate * (1.0 - rate));
  const double sums = std::max(std::abs(tally.sum_x), std::abs(tally.sum_y)) / std::sqrt(tally.accepted());
  outcome.passed = accepted <= 6.0 && sums <= 6.0;
  outcome.figures += text_of("  standard deviations from expectation: accepted %.2f, sums %.2f, at most 6\n",
                             accepted, sums);
}

Outcome solve(Team& team, const Sizes& sizes) {
  const double start = team.seconds();
  const std::uint64_t pairs = std::uint64_t{1} << sizes[0];
  const auto bound = [&](int worker) {
    return pairs * static_cast<std::uint64_t>(worker) / static_cast<std::uint64_t>(team.size());
  };
  Tally tally = tally_of_pairs(bound(team.rank()), bound(team.rank() + 1));

  std::array<double, annuli + 2> sums{};
  std::copy(tally.counts.begin(), tally.counts.end(), sums.begin());
  sums[annuli] = tally.sum_x;
  sums[annuli + 1] = tally.sum_y;
  sum_to_first(team, sums);
  std::copy_n(sums.begin(), annuli, tally.counts.begin());
  tally.sum_x = sums[annuli];
  tally.sum_y = sums[annuli + 1];

  Outcome outcome;
  outcome.seconds = team.seconds() - start;
  outcome.figures = text_of("  accepted       %.0f of %.0f\n  sums           %.12e %.12e\n", tally.accepted(),
                            static_cast<double>(pairs), tally.sum_x, tally.sum_y);
  if (const auto sums_published = published(sizes[0])) {
    compare_with(*sums_published, tally, outcome);
  } else {
    compare_with_chance(static_cast<double>(pairs), tally, outcome);
  }
  return outcome;
}

}  // namespace

const Kernel& ep() {
  static const Kernel kernel{
      "ep",
      "EP: Gaussian deviates from pairs of random numbers (after the NAS Parallel Benchmarks)",
      "The pairs are shared out; nothing is sent while they are worked on, and the sums are combined at the "
      "end.",
      {{"pairs", "log2 of the pairs of random numbers, 10 to 36", 10, 36, {24, 25, 28, 25}}},
      nullptr,
      solve};
  return kernel;
}

}  // namespace morgana::kernels
