#include "emulator/transport/pcaal/sender.h"

namespace morgana::pcaal {

bool Sender::take(const Stat& stat) {
  if (!fits(stat.nps, stat.nr, stat.list)) return false;
  // A cell before this one may be lost: only what LAF covers has been received for certain.
  if (!stat.list.empty() && in_order(stat.nr, stat.laf) && in_order(stat.laf, stat.list.front()))
    acknowledge(stat.laf, stat.list.front());
  take_list(stat.nps, stat.list);
  leave_behind(stat.nr, stat.nmr);
  return true;
}

}  // namespace morgana::pcaal
