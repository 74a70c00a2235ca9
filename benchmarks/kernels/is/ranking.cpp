#include "benchmarks/kernels/is/ranking.h"

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>

namespace morgana::kernels {
namespace {

enum Tag { tag_counts = 40, tag_keys };

constexpr int most_buckets = 2048;
/// Keys a message. The paper's most frequent message has 130,016 bytes; why, it does not say.
constexpr std::size_t piece = 130016 / sizeof(std::int32_t);

std::size_t at(int i) {
  return static_cast<std::size_t>(i);
}

template <typename Do>
void in_pieces(std::span<std::int32_t> keys, Do with) {
  for (std::size_t begin = 0; begin < keys.size(); begin += piece) {
    with(keys.subspan(begin, std::min(piece, keys.size() - begin)));
  }
}

}  // namespace

Ranking::Ranking(Team& team, int count, int range, std::array<int, rank_tests> places)
    : team_(team),
      range_(range),
      buckets_(std::min(range, most_buckets)),
      shift_(std::countr_zero(static_cast<unsigned>(range / buckets_))),
      own_places_(share_of(team.rank(), team.size(), count)),
      count_(count),
      places_(places),
      counts_(at(team.size()), std::vector<std::int32_t>(at(buckets_) + rank_tests)) {}

RankedKeys Ranking::rank(const Keys& own) {
  tell_counts(own);
  const std::vector<Interval> ranges = ranges_of_buckets();
  const Interval mine = ranges[at(team_.rank())];
  RankedKeys result;
  result.values = {mine.begin << shift_, mine.end << shift_};
  for (const auto& counts : counts_) {
    result.below = std::accumulate(counts.begin(), counts.begin() + mine.begin, result.below);
    for (std::size_t test = 0; test < rank_tests; ++test) result.tests[test] += counts[at(buckets_) + test];
  }
  redistribute(own, ranges, result.keys);

  result.less.assign(at(result.values.size()) + 1, 0);
  for (const std::int32_t key : result.keys) ++result.less[at(key - result.values.begin) + 1];
  std::partial_sum(result.less.begin(), result.less.end(), result.less.begin());
  return result;
}

void Ranking::tell_counts(const Keys& own) {
  std::vector<std::int32_t>& counts = counts_[at(team_.rank())];
  std::fill(counts.begin(), counts.end(), 0);
  for (const std::int32_t key : own) ++counts[at(key >> shift_)];
  for (std::size_t test = 0; test < rank_tests; ++test) {
    if (own_places_.holds(places_[test])) {
      counts[at(buckets_) + test] = own[at(places_[test] - own_places_.begin)];
    }
  }
  for (int step = 1; step < team_.size(); ++step) {
    team_.send((team_.rank() + step) % team_.size(), tag_counts, counts);
  }
  for (int step = 1; step < team_.size(); ++step) {
    const int from = (team_.rank() - step + team_.size()) % team_.size();
    team_.receive(from, tag_counts, counts_[at(from)]);
  }
  team_.finish();
}

/// Which buckets each worker is to own, so that each gets about as many keys.
std::vector<Interval> Ranking::ranges_of_buckets() const {
  std::vector<Interval> ranges;
  long seen = 0;
  int bucket = 0;
  for (int worker = 0; worker < team_.size(); ++worker) {
    Interval range{bucket, bucket};
    const long goal = static_cast<long>(count_) * (worker + 1) / team_.size();
    for (; bucket < buckets_; ++bucket) {
      long more = 0;
      for (const auto& counts : counts_) more += counts[at(bucket)];
      // The bucket goes to this worker if more than half of it lies below the goal.
      if (worker + 1 < team_.size() && seen + (more + 1) / 2 > goal) break;
      seen += more;
    }
    range.end = bucket;
    ranges.push_back(range);
  }
  return ranges;
}

void Ranking::redistribute(const Keys& own, const std::vector<Interval>& ranges, Keys& result) {
  std::vector<int> owner(at(buckets_));
  std::vector<std::size_t> next(at(team_.size()) + 1, 0);
  const auto& counts = counts_[at(team_.rank())];
  for (int worker = 0; worker < team_.size(); ++worker) {
    next[at(worker) + 1] = next[at(worker)];
    for (int bucket = ranges[at(worker)].begin; bucket < ranges[at(worker)].end; ++bucket) {
      owner[at(bucket)] = worker;
      next[at(worker) + 1] += at(counts[at(bucket)]);
    }
  }
  const std::vector<std::size_t> starts = next;
  Keys outgoing(own.size());
  for (const std::int32_t key : own) outgoing[next[at(owner[at(key >> shift_)])]++] = key;

  for (int step = 0; step < team_.size(); ++step) {
    const int to = (team_.rank() + step) % team_.size();
    const std::span keys(outgoing.data() + starts[at(to)], starts[at(to) + 1] - starts[at(to)]);
    in_pieces(keys, [&](std::span<std::int32_t> part) { team_.send(to, tag_keys, part); });
  }
  const Interval mine = ranges[at(team_.rank())];
  for (int step = 0; step < team_.size(); ++step) {
    const int from = (team_.rank() - step + team_.size()) % team_.size();
    const auto& theirs = counts_[at(from)];
    const int count = std::accumulate(theirs.begin() + mine.begin, theirs.begin() + mine.end, 0);
    const std::size_t begin = result.size();
    result.resize(begin + at(count));
    in_pieces(std::span(result).subspan(begin),
              [&](std::span<std::int32_t> part) { team_.receive(from, tag_keys, part); });
  }
  team_.finish();
}

}  // namespace morgana::kernels
