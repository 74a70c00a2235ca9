#include "emulator/transport/pcaal/receiver.h"

namespace morgana::pcaal {

std::optional<Ustat> Receiver::take(Number ns, const Piece& piece, std::vector<Piece>& delivered) {
  const std::uint32_t ahead = distance(in_order_, ns);
  const std::uint32_t known = distance(in_order_, vr_r_);
  if (behind(in_order_, ns) || (ahead < known && buffer_[ahead])) {
    ++counters_.duplicates;
    return std::nullopt;
  }
  if (ahead >= window_) {
    ++counters_.beyond_window;
    return std::nullopt;
  }
  std::optional<Ustat> gap;
  if (ahead > known) gap = tell_gap(ns);
  if (ahead >= known) expect(ns + 1);
  buffer_[ahead] = piece;
  while (!buffer_.empty() && buffer_.front()) {
    delivered.push_back(*buffer_.front());
    buffer_.pop_front();
    ++in_order_;
  }
  return gap;
}

std::vector<Stat> Receiver::take(const Poll& poll) {
  if (behind(vr_r_, poll.ns)) return {};
  vr_pr_ = poll.nps;
  expect_all_before(poll);
  return report(vr_r_, longest_list);
}

bool Receiver::note(const Poll& poll) {
  if (behind(vr_pr_, poll.nps)) return false;
  vr_pr_ = poll.nps;
  if (!behind(vr_r_, poll.ns)) expect_all_before(poll);
  return true;
}

// The list's last element closes the last run, of missing cells (a pair) or of received ones (an element
// without partner).
std::vector<Stat> Receiver::report(Number end, std::size_t longest) {
  const Number last = behind(vr_r_, end) ? end : vr_r_;
  const std::uint32_t told = behind(in_order_, last) ? 0 : distance(in_order_, last);
  std::vector<Number> list;
  bool missing = false;
  for (std::uint32_t ahead = 0; ahead < told; ++ahead) {
    if (missing == !buffer_[ahead]) continue;
    missing = !missing;
    list.push_back(in_order_ + ahead);
  }
  if (!list.empty()) list.push_back(last);
  std::vector<Stat> cells{{{}, vr_pr_, vr_mr(), in_order_, in_order_ - 1}};
  const std::size_t pairs = longest / 2 * 2;
  for (std::size_t place = 0; place < list.size(); ++place) {
    const bool closes = place + 1 == list.size();
    // A cell has whole pairs; only the list's last element may come behind them.
    if (cells.back().list.size() >= (closes ? longest : pairs))
      cells.push_back({{}, vr_pr_, vr_mr(), in_order_, cells.back().list.back()});
    cells.back().list.push_back(list[place]);
  }
  ++counters_.stats;
  counters_.stat_cells += cells.size();
  return cells;
}

Ustat Receiver::tell_gap(Number end) {
  ++counters_.ustats;
  return {vr_r_, end, vr_mr(), in_order_};
}

void Receiver::expect_all_before(const Poll& poll) {
  expect(distance(in_order_, poll.ns) > window_ ? vr_mr() : poll.ns);
}

void Receiver::expect(Number next) {
  buffer_.resize(distance(in_order_, next));
  vr_r_ = next;
}

}  // namespace morgana::pcaal
