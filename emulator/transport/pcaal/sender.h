#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "emulator/core/units.h"
#include "emulator/transport/pcaal/pdu.h"
#include "emulator/transport/transport.h"

namespace morgana::pcaal {

/// What an SD carries: whole PC-PDUs of a message.
struct Piece {
  MessageId message;
  Bytes bytes;
  std::uint16_t offset, count;  ///< of PC-PDUs, modulo 2^16
  bool ends;                    ///< the message's last
};

/// An SD that is to be handed over.
struct Outgoing {
  Number ns;
  Piece piece;
  bool first_time;
  std::uint32_t repetitions = 0;  ///< this one counted
};

struct SenderCounters {
  std::uint64_t data = 0;
  std::uint64_t again_by_stat = 0, again_by_ustat = 0;
  std::uint64_t suppressed = 0;  ///< missing cells of a STAT that had been sent again since its POLL
  std::uint64_t polls = 0;
  std::uint64_t refused = 0;  ///< STAT and USTAT that don't fit the state
};

/// The sending half of a connection: the flowcharts of figure 5.5 with the state variables' names, one
/// function for each event. It knows neither time nor network.
class Sender {
 public:
  /// @param first   the number of the first SD
  /// @param credit  SDs that the receiver accepts before its first STAT
  Sender(Number first, std::uint32_t credit) : vt_s_(first), vt_a_(first), vt_ms_(first + credit) {}

  void append(const Piece& piece) { waiting_.push_back(piece); }
  /// The next SD that may go: those to be sent again before new ones, these as far as VT(MS) allows.
  std::optional<Outgoing> next();
  Poll poll();
  /// An SD goes once more though nothing has asked for it (ECE), and is stamped like one that was asked for.
  /// @return nothing if it is acknowledged
  std::optional<Outgoing> repeat(Number ns);
  /// @return whether it fits; else nothing has changed
  bool take(const Stat& stat);
  bool take(const Ustat& ustat);

  /// SDs from the oldest that is not acknowledged on.
  std::uint32_t outstanding() const { return distance(vt_a_, vt_s_); }
  /// Whether an SD is unacknowledged or waits to go. What stands in line to be sent again though it has been
  /// acknowledged meanwhile counts for nothing.
  bool active() const { return outstanding() > 0 || !waiting_.empty(); }
  const SenderCounters& counters() const { return counters_; }

  Number vt_s() const { return vt_s_; }
  Number vt_ps() const { return vt_ps_; }
  Number vt_a() const { return vt_a_; }

 private:
  struct Held {
    Piece piece;
    Number stamp;  ///< VT(PS) when it was sent last
    std::uint32_t repetitions = 0;
    bool acknowledged = false;
    bool queued = false;    ///< stands among those to be sent again
    bool for_stat = false;  ///< by a STAT rather than a USTAT
  };
  Held& held(Number ns) { return window_[distance(vt_a_, ns)]; }
  bool in_order(Number from, Number ns) const {
    return distance(vt_a_, from) <= distance(vt_a_, ns) && distance(vt_a_, ns) <= outstanding();
  }
  void queue(Number ns, bool for_stat);
  void acknowledge(Number from, Number end);
  void leave_behind(Number nr, Number nmr);

  std::deque<Held> window_;  ///< VT(A) .. VT(S)-1
  std::deque<Number> again_;
  std::deque<Piece> waiting_;
  Number vt_s_;       ///< the next new SD
  Number vt_ps_ = 0;  ///< the last POLL
  Number vt_a_;       ///< the oldest SD that is not acknowledged
  Number vt_pa_ = 0;  ///< the POLL of the last STAT
  Number vt_ms_;      ///< the first SD that the receiver does not accept
  SenderCounters counters_;
};

}  // namespace morgana::pcaal
