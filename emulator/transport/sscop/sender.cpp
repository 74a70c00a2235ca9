#include "emulator/transport/sscop/sender.h"

namespace morgana::sscop {

std::optional<Outgoing> Sender::next() {
  while (!again_.empty()) {
    const Number ns = again_.front();
    again_.pop_front();
    Held& frame = held(ns);
    frame.queued = false;
    if (frame.acknowledged) continue;  // while it waited
    frame.stamp = vt_ps_;
    ++vt_pd_;
    ++(frame.for_stat ? counters_.again_by_stat : counters_.again_by_ustat);
    return Outgoing{ns, frame.piece, false, ++frame.repetitions};
  }
  if (waiting_.empty() || outstanding() >= distance(vt_a_, vt_ms_)) return std::nullopt;
  const Outgoing data{vt_s_, waiting_.front(), true};
  waiting_.pop_front();
  window_.push_back({data.piece, vt_ps_});
  vt_s_ = plus(vt_s_, 1);
  ++vt_pd_;
  ++counters_.data;
  return data;
}

// VT(PS) counts before the POLL goes: only so is every SD sent before a POLL stamped lower than it.
Poll Sender::poll() {
  vt_ps_ = plus(vt_ps_, 1);
  vt_pd_ = 0;
  ++counters_.polls;
  return {vt_ps_, vt_s_};
}

bool Sender::take(const Stat& stat) {
  bool fits = distance(vt_pa_, stat.nps) <= distance(vt_pa_, vt_ps_) && within_window(vt_a_, stat.nr);
  Number before = stat.nr;
  for (const Number element : stat.list) {
    fits = fits && within_window(before, element);
    before = element;
  }
  if (!fits) {
    ++counters_.refused;
    return false;
  }
  vt_pa_ = stat.nps;
  for (std::size_t place = 0; place + 1 < stat.list.size(); ++place) {
    const bool missing = place % 2 == 0;
    for (Number ns = stat.list[place]; ns != stat.list[place + 1]; ns = plus(ns, 1)) {
      Held& frame = held(ns);
      if (!missing)
        frame.acknowledged = true;
      else if (frame.stamp != stat.nps && distance(frame.stamp, stat.nps) < modulus / 2)
        queue(ns, true);
      else
        ++counters_.suppressed;
    }
  }
  acknowledge_up_to(stat.nr);
  grant(stat.nmr);
  return true;
}

bool Sender::take(const Ustat& ustat) {
  if (!within_window(vt_a_, ustat.nr) || !within_window(ustat.nr, ustat.first) ||
      !within_window(ustat.first, ustat.end)) {
    ++counters_.refused;
    return false;
  }
  for (Number ns = ustat.first; ns != ustat.end; ns = plus(ns, 1)) queue(ns, false);
  acknowledge_up_to(ustat.nr);
  grant(ustat.nmr);
  return true;
}

void Sender::queue(Number ns, bool for_stat) {
  Held& frame = held(ns);
  if (frame.queued || frame.acknowledged) return;
  frame.queued = true;
  frame.for_stat = for_stat;
  again_.push_back(ns);
}

void Sender::acknowledge_up_to(Number nr) {
  window_.erase(window_.begin(), window_.begin() + static_cast<std::ptrdiff_t>(distance(vt_a_, nr)));
  vt_a_ = nr;
  // What is released isn't sent again, and must not pass for data that wait.
  std::erase_if(again_, [this](Number ns) { return distance(vt_a_, ns) >= outstanding(); });
}

// A credit that is withdrawn below what was sent allows nothing more, but takes nothing back.
void Sender::grant(Number nmr) {
  vt_ms_ = distance(vt_a_, nmr) < modulus / 2 ? nmr : vt_a_;
}

}  // namespace morgana::sscop
