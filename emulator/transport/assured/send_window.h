#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>

#include "emulator/transport/assured/counters.h"
#include "emulator/transport/assured/pdu.h"

namespace morgana::assured {

/// An SD that is to be handed over.
/// @tparam Carried  what it carries: a piece of a message
template <class Carried>
struct OutgoingSd {
  Number ns;
  Carried piece;
  bool first_time;
  std::uint32_t repetitions = 0;  ///< this one counted
};

/// What all sending halves keep, under the names that ITU-T Q.2110 gives to state variables: which SDs are
/// under way, which are to be sent again, and which wait for the first time. It knows neither time nor
/// network.
/// @tparam Piece  what an SD carries
/// @tparam bits   of a sequence number
template <class Piece, unsigned bits>
class SendWindow {
 public:
  using Numbers = Sequence<bits>;

  /// @param first   the number of the first SD
  /// @param credit  SDs that the receiver accepts before its first status
  SendWindow(Number first, std::uint32_t credit)
      : vt_s_(first), vt_a_(first), vt_ms_(Numbers::plus(first, credit)) {}

  void append(const Piece& piece) { waiting_.push_back(piece); }

  /// Whether one waits to go for the first time.
  bool waits() const { return !waiting_.empty(); }

  /// The next SD that may go: those to be sent again before new ones, these as far as VT(MS) allows.
  std::optional<OutgoingSd<Piece>> next() {
    while (!again_.empty()) {
      const Number ns = again_.front();
      again_.pop_front();
      // What was acknowledged while it waited has left the window or is marked.
      if (!is_held(ns)) continue;
      Held& frame = held(ns);
      frame.queued = false;
      if (frame.acknowledged) continue;
      frame.stamp = vt_ps_;
      ++(frame.for_stat ? counters_.again_by_stat : counters_.again_by_ustat);
      return OutgoingSd<Piece>{ns, frame.piece, false, ++frame.repetitions};
    }
    if (waiting_.empty() || outstanding() >= Numbers::distance(vt_a_, vt_ms_)) return std::nullopt;
    const OutgoingSd<Piece> data{vt_s_, waiting_.front(), true};
    waiting_.pop_front();
    window_.push_back({data.piece, vt_ps_});
    vt_s_ = Numbers::plus(vt_s_, 1);
    ++counters_.data;
    return data;
  }

  /// An SD goes once more though nothing has asked for it, and is stamped like one that was asked for.
  /// @return nothing if it is acknowledged
  std::optional<OutgoingSd<Piece>> repeat(Number ns) {
    if (!is_held(ns) || held(ns).acknowledged) return std::nullopt;
    Held& frame = held(ns);
    frame.stamp = vt_ps_;
    return OutgoingSd<Piece>{ns, frame.piece, false, frame.repetitions};
  }

  /// VT(PS) counts before the POLL goes: only so is every SD sent before a POLL stamped lower than it.
  Poll poll() {
    vt_ps_ = Numbers::plus(vt_ps_, 1);
    ++counters_.polls;
    return {vt_ps_, vt_s_};
  }

  /// A STAT has come. @return whether it fits; else nothing has changed
  bool fits(Number nps, Number nr, std::span<const Number> list) {
    bool fits = Numbers::distance(vt_pa_, nps) <= Numbers::distance(vt_pa_, vt_ps_) && in_order(vt_a_, nr);
    Number before = nr;
    for (const Number element : list) {
      fits = fits && in_order(before, element);
      before = element;
    }
    if (fits)
      vt_pa_ = nps;
    else
      ++counters_.refused;
    return fits;
  }
  /// The list of a STAT that fits: alternately the starts of runs of missing and of received SDs.
  void take_list(Number nps, std::span<const Number> list) {
    for (std::size_t place = 0; place + 1 < list.size(); ++place) {
      if (place % 2 == 1) {
        acknowledge(list[place], list[place + 1]);
        continue;
      }
      for (Number ns = list[place]; ns != list[place + 1]; ns = Numbers::plus(ns, 1)) {
        // Only what was sent last before the POLL can be known to be lost.
        if (Numbers::behind(nps, held(ns).stamp))
          queue(ns, true);
        else
          ++counters_.suppressed;
      }
    }
  }
  /// first .. end-1, of the window, have come.
  void acknowledge(Number first, Number end) {
    for (Number ns = first; ns != end; ns = Numbers::plus(ns, 1)) held(ns).acknowledged = true;
  }
  /// The end of every status: all before N(R) have come. A credit that is withdrawn below what was sent
  /// allows nothing more, but takes nothing back.
  void leave_behind(Number nr, Number nmr) {
    window_.erase(window_.begin(),
                  window_.begin() + static_cast<std::ptrdiff_t>(Numbers::distance(vt_a_, nr)));
    vt_a_ = nr;
    vt_ms_ = Numbers::behind(vt_a_, nmr) ? vt_a_ : nmr;
  }

  /// @return whether it fits; else nothing has changed
  bool take(const Ustat& ustat) {
    if (!in_order(vt_a_, ustat.nr) || !in_order(ustat.nr, ustat.first) || !in_order(ustat.first, ustat.end)) {
      ++counters_.refused;
      return false;
    }
    for (Number ns = ustat.first; ns != ustat.end; ns = Numbers::plus(ns, 1)) queue(ns, false);
    leave_behind(ustat.nr, ustat.nmr);
    return true;
  }

  /// SDs from the oldest that is not acknowledged on.
  std::uint32_t outstanding() const { return Numbers::distance(vt_a_, vt_s_); }
  /// Whether an SD is unacknowledged or waits to go. What stands in line to be sent again though it has been
  /// acknowledged in the meantime counts for nothing.
  bool active() const { return outstanding() > 0 || !waiting_.empty(); }
  /// Whether two numbers, neither before VT(A) nor behind VT(S), are the same or in this order.
  bool in_order(Number from, Number ns) const {
    return Numbers::distance(vt_a_, from) <= Numbers::distance(vt_a_, ns) &&
           Numbers::distance(vt_a_, ns) <= outstanding();
  }
  const SenderCounters& counters() const { return counters_; }

  Number vt_s() const { return vt_s_; }    ///< the next new SD
  Number vt_ps() const { return vt_ps_; }  ///< the last POLL
  Number vt_a() const { return vt_a_; }    ///< the oldest SD that is not acknowledged
  Number vt_pa() const { return vt_pa_; }  ///< the POLL of the last STAT
  Number vt_ms() const { return vt_ms_; }  ///< the first SD that the receiver does not accept

 private:
  struct Held {
    Piece piece;
    Number stamp;  ///< VT(PS) when it was sent last
    std::uint32_t repetitions = 0;
    bool acknowledged = false;
    bool queued = false;    ///< stands among those to be sent again
    bool for_stat = false;  ///< by a STAT rather than a USTAT
  };
  bool is_held(Number ns) const { return Numbers::distance(vt_a_, ns) < outstanding(); }
  Held& held(Number ns) { return window_[Numbers::distance(vt_a_, ns)]; }
  void queue(Number ns, bool for_stat) {
    Held& frame = held(ns);
    if (frame.queued || frame.acknowledged) return;
    frame.queued = true;
    frame.for_stat = for_stat;
    again_.push_back(ns);
  }

  std::deque<Held> window_;  ///< VT(A) .. VT(S)-1
  std::deque<Number> again_;
  std::deque<Piece> waiting_;
  Number vt_s_, vt_ps_ = 0, vt_a_, vt_pa_ = 0, vt_ms_;
  SenderCounters counters_;
};

}  // namespace morgana::assured
