#include "emulator/transport/sscop/sender.h"

namespace morgana::sscop {

std::optional<OutgoingSd> Sender::next() {
  const std::optional<OutgoingSd> data = SendWindow::next();
  if (data) ++vt_pd_;
  return data;
}

Poll Sender::poll() {
  vt_pd_ = 0;
  return SendWindow::poll();
}

bool Sender::take(const Stat& stat) {
  if (!fits(stat.nps, stat.nr, stat.list)) return false;
  take_list(stat.nps, stat.list);
  leave_behind(stat.nr, stat.nmr);
  return true;
}

}  // namespace morgana::sscop
