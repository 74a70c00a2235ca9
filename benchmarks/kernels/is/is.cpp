#include "benchmarks/kernels/is/is.h"

#include "benchmarks/kernels/common/collectives.h"
#include "benchmarks/kernels/common/nas_random.h"
#include "benchmarks/kernels/common/text.h"
#include "benchmarks/kernels/is/ranking.h"

namespace morgana::kernels {
namespace {

/// Each key is the sum of four random numbers, scaled to the range.
Keys make_keys(Interval places, int range) {
  NasRandom random(314159265);
  random.skip(4 * static_cast<std::uint64_t>(places.begin));
  Keys keys(static_cast<std::size_t>(places.size()));
  const int quarter = range / 4;
  for (std::int32_t& key : keys) {
    double sum = random.next();
    for (int i = 1; i < 4; ++i) sum += random.next();
    key = static_cast<std::int32_t>(quarter * sum);
  }
  return keys;
}

/// Before each ranking two keys are changed, so that no ranking is like another.
void change_keys(Keys& keys, Interval places, int range, int number, int rankings) {
  const auto set = [&](int place, int value) {
    if (places.holds(place)) keys[static_cast<std::size_t>(place - places.begin)] = value;
  };
  set(number, number);
  set(number + rankings, range - number);
}

int right_ranks(const PublishedRanks& published, const RankedKeys& ranked, int number) {
  int right = 0;
  for (std::size_t test = 0; test < rank_tests; ++test) {
    const int value = ranked.tests[test];
    if (!ranked.values.holds(value)) continue;
    const int rank = ranked.below + ranked.less[static_cast<std::size_t>(value - ranked.values.begin)];
    right += rank == published.expected(test, number);
  }
  return right;
}

/// Puts each key where its rank says. @return how many places are then filled in ascending order
long well_placed(const RankedKeys& ranked) {
  std::vector<std::int32_t> next(ranked.less.begin(), ranked.less.end());
  Keys sorted(ranked.keys.size(), -1);
  for (const std::int32_t key : ranked.keys) {
    if (!ranked.values.holds(key)) return 0;
    const auto place = static_cast<std::size_t>(next[static_cast<std::size_t>(key - ranked.values.begin)]++);
    if (place < sorted.size()) sorted[place] = key;
  }
  long right = 0;
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    right += sorted[i] >= 0 && (i == 0 || sorted[i - 1] <= sorted[i]);
  }
  return right;
}

Outcome solve(Team& team, const Sizes& sizes) {
  const int count = 1 << sizes[0], range = 1 << sizes[1], rankings = sizes[2];
  const auto published = published_ranks(sizes);
  const Interval places = share_of(team.rank(), team.size(), count);
  Keys keys = make_keys(places, range);
  Ranking ranking(team, count, range, published ? published->places : std::array<int, rank_tests>{});

  const double start = team.seconds();
  RankedKeys ranked;
  int right = 0;
  for (int number = 1; number <= rankings; ++number) {
    change_keys(keys, places, range, number, rankings);
    ranked = ranking.rank(keys);
    if (published) right += right_ranks(*published, ranked, number);
  }
  const double seconds = team.seconds() - start;

  double sums[2] = {static_cast<double>(right), static_cast<double>(well_placed(ranked))};
  sum_to_first(team, sums);
  const int tests = published ? static_cast<int>(rank_tests) * rankings : 0;
  Outcome outcome;
  outcome.seconds = seconds;
  outcome.passed = sums[0] == tests && sums[1] == count;
  outcome.figures = text_of("  in order by their ranks  %.0f of %d keys\n", sums[1], count);
  if (published) outcome.figures += text_of("  as published             %.0f of %d ranks\n", sums[0], tests);
  return outcome;
}

void check(const Sizes& sizes, int) {
  if (2 * sizes[2] >= 1 << sizes[0] || sizes[2] >= 1 << sizes[1]) {
    throw Refusal(
        text_of("%d rankings of 2^%d keys below 2^%d are too many; each changes two keys to new values",
                sizes[2], sizes[0], sizes[1]));
  }
}

}  // namespace

const Kernel& is() {
  static const Kernel kernel{"is",
                             "IS: ranking integer keys (after the NAS Parallel Benchmarks)",
                             "Workers own shares of the keys; each ranking sends every key to the worker "
                             "that owns its range of values.",
                             {{"keys", "log2 of the keys", 4, 27, {16, 20, 23, 20}},
                              {"range", "log2 of the range of values", 2, 24, {11, 16, 19, 16}},
                              {"rankings", "how often", 1, 1000, {10, 10, 10, 10}}},
                             check,
                             solve};
  return kernel;
}

}  // namespace morgana::kernels
