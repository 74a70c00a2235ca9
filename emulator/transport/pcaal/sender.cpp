#include "emulator/transport/pcaal/sender.h"

namespace morgana::pcaal {

std::optional<Outgoing> Sender::next() {
  while (!again_.empty()) {
    const Number ns = again_.front();
    again_.pop_front();
    // What was acknowledged while it waited has left the window or is marked.
    if (distance(vt_a_, ns) >= outstanding()) continue;
    Held& cell = held(ns);
    cell.queued = false;
    if (cell.acknowledged) continue;
    cell.stamp = vt_ps_;
    ++(cell.for_stat ? counters_.again_by_stat : counters_.again_by_ustat);
    return Outgoing{ns, cell.piece, false, ++cell.repetitions};
  }
  if (waiting_.empty() || outstanding() >= distance(vt_a_, vt_ms_)) return std::nullopt;
  const Outgoing data{vt_s_, waiting_.front(), true};
  waiting_.pop_front();
  window_.push_back({data.piece, vt_ps_});
  ++vt_s_;
  ++counters_.data;
  return data;
}

// VT(PS) counts before the POLL goes: only so is every SD sent before a POLL stamped lower than it.
Poll Sender::poll() {
  ++vt_ps_;
  ++counters_.polls;
  return {vt_ps_, vt_s_};
}

std::optional<Outgoing> Sender::repeat(Number ns) {
  if (distance(vt_a_, ns) >= outstanding() || held(ns).acknowledged) return std::nullopt;
  Held& cell = held(ns);
  cell.stamp = vt_ps_;
  return Outgoing{ns, cell.piece, false, cell.repetitions};
}

bool Sender::take(const Stat& stat) {
  bool fits = distance(vt_pa_, stat.nps) <= distance(vt_pa_, vt_ps_) && in_order(vt_a_, stat.nr);
  Number before = stat.nr;
  for (const Number element : stat.list) {
    fits = fits && in_order(before, element);
    before = element;
  }
  if (!fits) {
    ++counters_.refused;
    return false;
  }
  vt_pa_ = stat.nps;
  // A cell before this one may be lost: only what LAF covers has been received for certain.
  if (!stat.list.empty() && in_order(stat.nr, stat.laf) && in_order(stat.laf, stat.list.front()))
    acknowledge(stat.laf, stat.list.front());
  for (std::size_t place = 0; place + 1 < stat.list.size(); ++place) {
    if (place % 2 == 1) {
      acknowledge(stat.list[place], stat.list[place + 1]);
      continue;
    }
    for (Number ns = stat.list[place]; ns != stat.list[place + 1]; ++ns) {
      // Only what was sent last before the POLL can be known to be lost.
      if (behind(stat.nps, held(ns).stamp))
        queue(ns, true);
      else
        ++counters_.suppressed;
    }
  }
  leave_behind(stat.nr, stat.nmr);
  return true;
}

bool Sender::take(const Ustat& ustat) {
  if (!in_order(vt_a_, ustat.nr) || !in_order(ustat.nr, ustat.first) || !in_order(ustat.first, ustat.end)) {
    ++counters_.refused;
    return false;
  }
  for (Number ns = ustat.first; ns != ustat.end; ++ns) queue(ns, false);
  leave_behind(ustat.nr, ustat.nmr);
  return true;
}

void Sender::queue(Number ns, bool for_stat) {
  Held& cell = held(ns);
  if (cell.queued || cell.acknowledged) return;
  cell.queued = true;
  cell.for_stat = for_stat;
  again_.push_back(ns);
}

void Sender::acknowledge(Number from, Number end) {
  for (Number ns = from; ns != end; ++ns) held(ns).acknowledged = true;
}

// A credit that is withdrawn below what was sent allows nothing more, but takes nothing back.
void Sender::leave_behind(Number nr, Number nmr) {
  window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(distance(vt_a_, nr)));
  vt_a_ = nr;
  vt_ms_ = behind(vt_a_, nmr) ? vt_a_ : nmr;
}

}  // namespace morgana::pcaal
