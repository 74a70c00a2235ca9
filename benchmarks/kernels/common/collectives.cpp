#include "benchmarks/kernels/common/collectives.h"

#include <algorithm>

namespace morgana::kernels {
namespace {

enum Tag { tag_sum = 900, tag_greatest, tag_fold, tag_doubling, tag_unfold, tag_gather };

void add(std::span<double> sum, std::span<const double> more) {
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += more[i];
}

}  // namespace

void sum_to_first(Team& team, std::span<double> values) {
  if (!team.first()) {
    team.send(0, tag_sum, values);
    team.finish();
    return;
  }
  std::vector<double> others(values.size());
  for (int from = 1; from < team.size(); ++from) {
    team.receive(from, tag_sum, others);
    add(values, others);
  }
}

void greatest_to_first(Team& team, double& value) {
  const std::span<double> one(&value, 1);
  if (!team.first()) {
    team.send(0, tag_greatest, one);
    team.finish();
    return;
  }
  for (int from = 1; from < team.size(); ++from) {
    double other = 0.0;
    team.receive(from, tag_greatest, std::span(&other, 1));
    value = std::max(value, other);
  }
}

void sum_to_all(Team& team, std::span<double> values) {
  int doubled = 1;
  while (2 * doubled <= team.size()) doubled *= 2;
  const int me = team.rank();
  if (me >= doubled) {
    team.send(me - doubled, tag_fold, values);
    team.finish();
    team.receive(me - doubled, tag_unfold, values);
    return;
  }
  std::vector<double> others(values.size());
  const bool stands_for_another = me + doubled < team.size();
  if (stands_for_another) {
    team.receive(me + doubled, tag_fold, others);
    add(values, others);
  }
  // Both partners add the same two numbers, so that all end with the same bits.
  for (int distance = 1; distance < doubled; distance *= 2) {
    const int partner = me ^ distance;
    team.send(partner, tag_doubling, values);
    team.receive(partner, tag_doubling, others);
    team.finish();
    add(values, others);
  }
  if (stands_for_another) {
    team.send(me + doubled, tag_unfold, values);
    team.finish();
  }
}

void gather_to_all(Team& team, std::span<double> values, const std::vector<int>& starts) {
  const int size = team.size(), me = team.rank();
  const auto piece = [&](int worker) {
    const auto begin = static_cast<std::size_t>(starts[static_cast<std::size_t>(worker)]);
    const auto end = static_cast<std::size_t>(starts[static_cast<std::size_t>(worker) + 1]);
    return values.subspan(begin, end - begin);
  };
  // After each step every worker holds the pieces of `held` workers, from its own on, in a circle.
  std::vector<double> outgoing, incoming;
  for (int held = 1; held < size; held *= 2) {
    const int count = std::min(held, size - held);
    const int to = (me - held + size) % size, from = (me + held) % size;
    outgoing.clear();
    for (int i = 0; i < count; ++i) {
      const auto own = piece((me + i) % size);
      outgoing.insert(outgoing.end(), own.begin(), own.end());
    }
    std::size_t expected = 0;
    for (int i = 0; i < count; ++i) expected += piece((from + i) % size).size();
    incoming.resize(expected);
    team.send(to, tag_gather, outgoing);
    team.receive(from, tag_gather, incoming);
    team.finish();
    auto next = incoming.cbegin();
    for (int i = 0; i < count; ++i) {
      const auto place = piece((from + i) % size);
      std::copy_n(next, place.size(), place.begin());
      next += static_cast<std::ptrdiff_t>(place.size());
    }
  }
}

}  // namespace morgana::kernels
