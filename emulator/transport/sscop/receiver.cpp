#include "emulator/transport/sscop/receiver.h"

namespace morgana::sscop {

std::optional<Ustat> Receiver::take(Number ns, const Piece& piece, std::vector<Piece>& in_order) {
  const std::uint32_t ahead = distance(vr_r_, ns);
  const std::uint32_t known = distance(vr_r_, vr_h_);
  if (ahead >= modulus / 2 || (ahead < known && buffer_[ahead])) {
    ++counters_.duplicates;
    return std::nullopt;
  }
  if (ahead >= window_) {
    ++counters_.beyond_window;
    if (known >= window_) return std::nullopt;
    return tell_gap(vr_mr());
  }
  std::optional<Ustat> gap;
  if (ahead > known) gap = tell_gap(ns);
  if (ahead >= known) move_highest(plus(ns, 1));
  buffer_[ahead] = piece;
  while (!buffer_.empty() && buffer_.front()) {
    in_order.push_back(*buffer_.front());
    buffer_.pop_front();
    vr_r_ = plus(vr_r_, 1);
  }
  return gap;
}

std::vector<Stat> Receiver::take(const Poll& poll) {
  if (distance(vr_h_, poll.ns) >= modulus / 2) {
    ++counters_.refused;
    return {};
  }
  move_highest(distance(vr_r_, poll.ns) > window_ ? vr_mr() : poll.ns);
  std::vector<Stat> stats{{{}, poll.nps, vr_mr(), vr_r_}};
  const auto add = [&](std::uint32_t ahead) {
    const Number element = plus(vr_r_, ahead);
    stats.back().list.push_back(element);
    // The last element of a full list begins a gap: it closes the run before, and opens the next list.
    if (stats.back().list.size() == longest_list_ && ahead < buffer_.size())
      stats.push_back({{element}, poll.nps, vr_mr(), vr_r_});
  };
  bool missing = false;
  for (std::uint32_t ahead = 0; ahead < buffer_.size(); ++ahead) {
    if (missing == !buffer_[ahead]) continue;
    missing = !missing;
    add(ahead);
  }
  if (!buffer_.empty()) add(static_cast<std::uint32_t>(buffer_.size()));
  counters_.stats += stats.size();
  return stats;
}

Ustat Receiver::tell_gap(Number end) {
  const Ustat gap{vr_h_, end, vr_mr(), vr_r_};
  move_highest(end);
  ++counters_.ustats;
  return gap;
}

void Receiver::move_highest(Number to) {
  buffer_.resize(distance(vr_r_, to));
  vr_h_ = to;
}

}  // namespace morgana::sscop
