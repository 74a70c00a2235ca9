#include "emulator/transport/uet/entropy.h"

#include <algorithm>

namespace morgana::uet {

Entropies::Entropies(LoadBalancing balancing, unsigned count, std::uint64_t seed)
    : balancing_(balancing),
      count_(count),
      random_(seed, "entropy values"),
      offset_(static_cast<std::uint32_t>(random_.below(count))) {
  if (balancing == LoadBalancing::bitmap || balancing == LoadBalancing::mixed) penalties_.resize(count);
}

std::uint32_t Entropies::round_robin() {
  const std::uint32_t value = (turn_ + offset_) % count_;
  if (++turn_ == count_) {
    turn_ = 0;
    offset_ = static_cast<std::uint32_t>(random_.below(count_));
  }
  return value;
}

std::uint32_t Entropies::without_penalty() {
  std::uint32_t value = round_robin();
  if (penalties_[value] == 0) return value;
  --penalties_[value];
  for (std::uint32_t left = count_; left > 0; --left) {
    value = round_robin();
    if (penalties_[value] == 0) break;
  }
  return value;
}

std::uint32_t Entropies::next() {
  ++sent_;
  if (!recycled_.empty()) {
    const std::uint32_t value = recycled_.front();
    recycled_.pop_front();
    return value;
  }
  switch (balancing_) {
    case LoadBalancing::oblivious:
      return round_robin();
    case LoadBalancing::reps:
      return sent_ <= count_ ? round_robin() : static_cast<std::uint32_t>(random_.below(count_));
    case LoadBalancing::bitmap:
    case LoadBalancing::mixed:
      break;
  }
  return without_penalty();
}

void Entropies::learn(std::uint32_t value, PathFeedback feedback) {
  if (feedback == PathFeedback::good) {
    if (balancing_ == LoadBalancing::reps || balancing_ == LoadBalancing::mixed) recycled_.push_back(value);
    return;
  }
  if (penalties_.empty()) return;
  constexpr int most = 15, for_mark = 1, for_trim = 4;
  int penalty = most;
  if (feedback == PathFeedback::marked) penalty = for_mark;
  if (feedback == PathFeedback::trimmed) penalty = for_trim;
  penalties_[value] = static_cast<std::uint8_t>(std::min(penalties_[value] + penalty, most));
}

}  // namespace morgana::uet
