#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "tests/transport/assured/reference_pcaal.h"

namespace morgana::testing::ece_reference {

/// Both halves of an ECE connection, written from the thesis (Vila i Sallent 1997, section 6.1.3, figures 6.6
/// to 6.12) and docs/atm-protocols.md without regard to the emulator's. Each rule of a mode and an engine
/// stands by itself, as the thesis's sections (a) to (d) have them. Times are whole microseconds, those of
/// stamps.
using pcaal_reference::Count;
using pcaal_reference::on_the_wire;
using pcaal_reference::unwrapped;

enum class Kind { switching, duplicating };
/// Which connections a cell takes.
struct Ways {
  bool ordinary, backup;
};
/// A STAT; with T_o it is an LSTAT.
struct Status {
  pcaal::Stat stat;
  bool high;
  std::optional<std::int64_t> t_o;
};

class Sender : public pcaal_reference::Sender {
 public:
  Sender(Kind kind, pcaal::Number first, std::uint32_t window)
      : pcaal_reference::Sender(first, window), kind_(kind) {}

  /// Of an SD, new or repeated, in this mode.
  Ways ways_of_data() const {
    if (!high) return {true, false};
    return {kind_ == Kind::duplicating, true};
  }
  Ways ways_of_poll() const {
    const bool backup = high && kind_ == Kind::switching;
    return {!backup, backup};
  }
  void note_sent(Count ns, std::int64_t now) { sent_[ns] = {now, ways_of_data()}; }

  /// @return what goes over the backup connection once more, at once (Retransmit3)
  std::vector<Count> take(const Status& status) {
    std::vector<Count> again;
    if (kind_ == Kind::duplicating && status.t_o && status.high && !high)
      for (auto& [ns, sent] : sent_) {
        if (ns < vt_a || acknowledged_.contains(ns)) continue;
        if (sent.ways.backup || sent.at < *status.t_o) continue;
        again.push_back(ns);
        sent.ways.backup = true;
        stamp_[ns] = vt_ps;
      }
    high = status.high;
    taken = pcaal_reference::Sender::take(status.stat);
    return again;
  }
  void take(const pcaal::Ustat& ustat) {
    if (high && kind_ == Kind::duplicating) return;
    pcaal_reference::Sender::take(ustat);
  }

  bool high = false;
  bool taken = false;  ///< whether the last status counted

 private:
  struct Sent {
    std::int64_t at;
    Ways ways;
  };
  Kind kind_;
  std::map<Count, Sent> sent_;
};

class Receiver : public pcaal_reference::Receiver {
 public:
  enum class What { data, poll, monitoring };

  Receiver(Kind kind, pcaal::Number first, std::uint32_t window, std::int64_t upper, std::int64_t lower)
      : pcaal_reference::Receiver(first, window), kind_(kind), upper_(upper), lower_(lower) {}

  std::optional<pcaal::Ustat> take_data(pcaal::Number ns, std::vector<Count>& delivered) {
    const auto told = take(ns, delivered);
    if (high && kind_ == Kind::duplicating) return std::nullopt;
    return told;
  }

  /// @return its answer, which is not sent if the POLL changes the mode
  std::vector<Status> take_poll(const pcaal::Poll& poll) {
    const Count nps = unwrapped(poll.nps, last_poll_);
    if (nps <= last_poll_) return {};
    last_poll_ = nps;
    const Count ns = unwrapped(poll.ns, vr_r);
    vr_r = std::max(vr_r, std::min(ns, in_order + window_));
    return dressed(status(poll.nps, std::min(ns, vr_r), 7), std::nullopt);
  }

  /// A cell that has come over the ordinary connection. Figure 6.10 has neither SDs nor POLLs monitored in
  /// the switching engine's high mode, as both take the backup connection; of a POLL that went before the
  /// sender knew of that mode docs/atm-protocols.md says that it stands for the monitoring cell of its
  /// period.
  /// @return the LSTAT, if the mode changes
  std::vector<Status> monitor(What what, std::int64_t stamp, std::int64_t now) {
    const std::int64_t latency = now - stamp;
    if (!high) return latency > upper_ ? change(stamp) : std::vector<Status>();
    if (kind_ == Kind::switching && what == What::data) return {};
    return latency < lower_ ? change(stamp) : std::vector<Status>();
  }
  std::vector<Status> missing(std::int64_t was_to_be_sent) {
    return high ? std::vector<Status>() : change(was_to_be_sent);
  }

  bool high = false;

 private:
  std::vector<Status> change(std::int64_t t_o) {
    high = !high;
    return dressed(status(on_the_wire(last_poll_), vr_r, 6), t_o);
  }
  std::vector<Status> dressed(const std::vector<pcaal::Stat>& stats, std::optional<std::int64_t> t_o) const {
    std::vector<Status> all;
    for (const pcaal::Stat& stat : stats) all.push_back({stat, high, t_o});
    return all;
  }

  Kind kind_;
  std::int64_t upper_, lower_;
  Count last_poll_ = 0;
};

}  // namespace morgana::testing::ece_reference
