#include "emulator/transport/sscop/receiver.h"

namespace morgana::sscop {

// From an SD beyond the window Q.2110 learns that all within it have been sent.
std::optional<Ustat> Receiver::take(Number ns, const Piece& piece, std::vector<Piece>& in_order) {
  const bool shows_gap_to_limit = data_.is_beyond(ns) && vr_h() != vr_mr();
  const std::optional<Ustat> gap = data_.take(ns, piece, in_order);
  return shows_gap_to_limit ? data_.tell_gap(vr_mr()) : gap;
}

std::vector<Stat> Receiver::take(const Poll& poll) {
  if (Numbers::behind(vr_h(), poll.ns)) {
    ++data_.counters().refused;
    return {};
  }
  data_.expect_all_before(poll);
  std::vector<Stat> stats{{{}, poll.nps, vr_mr(), vr_r()}};
  const std::vector<Number> list = data_.runs(vr_h());
  for (std::size_t place = 0; place < list.size(); ++place) {
    stats.back().list.push_back(list[place]);
    // The last element of a full list begins a gap: it closes the run before, and opens the next list.
    if (stats.back().list.size() == longest_list_ && place + 1 < list.size())
      stats.push_back({{list[place]}, poll.nps, vr_mr(), vr_r()});
  }
  data_.counters().stats += stats.size();
  return stats;
}

}  // namespace morgana::sscop
