#include "emulator/transport/pcaal/receiver.h"

namespace morgana::pcaal {

std::vector<Stat> Receiver::take(const Poll& poll) {
  if (Numbers::behind(vr_r(), poll.ns)) return {};
  vr_pr_ = poll.nps;
  data_.expect_all_before(poll);
  return report(vr_r(), longest_list);
}

bool Receiver::note(const Poll& poll) {
  if (Numbers::behind(vr_pr_, poll.nps)) return false;
  vr_pr_ = poll.nps;
  if (!Numbers::behind(vr_r(), poll.ns)) data_.expect_all_before(poll);
  return true;
}

// The list's last element closes the last run, of missing cells (a pair) or of received ones (an element
// without partner).
std::vector<Stat> Receiver::report(Number end, std::size_t longest) {
  const std::vector<Number> list = data_.runs(end);
  std::vector<Stat> cells{{{}, vr_pr_, vr_mr(), next_in_order(), next_in_order() - 1}};
  const std::size_t pairs = longest / 2 * 2;
  for (std::size_t place = 0; place < list.size(); ++place) {
    const bool closes = place + 1 == list.size();
    // A cell has whole pairs; only the list's last element may come behind them.
    if (cells.back().list.size() >= (closes ? longest : pairs))
      cells.push_back({{}, vr_pr_, vr_mr(), next_in_order(), cells.back().list.back()});
    cells.back().list.push_back(list[place]);
  }
  ++data_.counters().stats;
  data_.counters().stat_cells += cells.size();
  return cells;
}

}  // namespace morgana::pcaal
