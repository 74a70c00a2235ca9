#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/tcp/parameters.h"
#include "tests/transport/reference_rack.h"
#include "tests/transport/reference_round_trip.h"
#include "tests/transport/reference_tcp_receiver.h"
#include "tests/transport/reference_window.h"

namespace morgana::testing::tcp_reference {

struct Counts {
  std::int64_t segments = 0, repeated = 0, fast_recoveries = 0, timeouts = 0, reductions = 0, probes = 0;
};

/// The rules of tcp::Sender's header. RFC 6675's IsLost, SetPipe and NextSeg go through all octets between
/// HighACK and HighData each time.
class ReferenceSender {
 public:
  explicit ReferenceSender(const TcpParameters& parameters)
      : p(parameters),
        s(parameters.window.segment.count()),
        control(reference_window(parameters)),
        round_trip{parameters.least_timeout.ps(), parameters.most_timeout.ps(),
                   parameters.first_timeout.ps()} {}

  struct Outgoing {
    Octets data;
    enum class Kind : std::uint8_t { stream, oldest, hole, rescue, probe } kind = Kind::stream;
  };

  void write(std::int64_t now, std::int64_t bytes) {
    if (p.restart_after_idle && oldest == written && sent > 0 && now - last_sent > round_trip.timeout)
      control->rested();
    written += bytes;
  }
  Octet buffered() const { return std::min(written, oldest + p.send_buffer.count()); }
  bool in_flight() const { return sent > oldest; }
  bool is_new(const Outgoing& out) const { return out.data.begin >= sent; }

  std::optional<Outgoing> next() const {
    if (has_rack()) return next_with_rack();
    if (oldest_goes) return Outgoing{first_missing(oldest, sent), Outgoing::Kind::oldest};
    const std::optional<Outgoing> stream = of_stream();
    if (repair == Repair::recovery && p.sack) {
      const std::int64_t may_go = p.recovery == TcpParameters::Recovery::prr ? sndcnt : w() - pipe();
      return may_go >= s ? next_seg() : std::nullopt;
    }
    if (repair == Repair::after_timeout && p.sack) {
      const Octets again = first_missing(std::max(high_rxt, oldest), recovery_point);
      const std::optional<Outgoing> out = again.size() > 0 ? Outgoing{again, Outgoing::Kind::hole} : stream;
      return out && pipe() + out->data.size() <= w() ? out : std::nullopt;
    }
    return stream && fits(*stream) ? stream : std::nullopt;
  }

  /// @return whether it says that the window was cut
  bool send(std::int64_t now, const Outgoing& out) {
    const bool is_first = is_new(out);
    ++(is_first ? counts.segments : counts.repeated);
    if (!is_first)
      timed_end = -1;
    else if (timed_end < 0)
      timed_end = out.data.end, timed_from = now;
    if (out.kind == Outgoing::Kind::stream) {
      next_octet = out.data.end;
      sent = std::max(sent, out.data.end);
      if (is_first && repair == Repair::none)
        limited += std::clamp<std::int64_t>(sent - oldest - w(), 0, out.data.size());
    } else if (out.kind == Outgoing::Kind::oldest) {
      oldest_goes = false;
      high_rxt = rescue_rxt = out.data.end;
    } else if (out.kind == Outgoing::Kind::hole) {
      high_rxt = out.data.end;
    } else if (out.kind == Outgoing::Kind::rescue) {
      rescue_rxt = recovery_point;
    }
    if (has_rack()) {
      if (is_first)
        rack.transmit(out.data, now);
      else
        rack.retransmit(out.data.begin, now);
    }
    if (out.kind == Outgoing::Kind::probe) {
      ++counts.probes;
      probe_goes = measured_since_probe = false;
      tlp_is_retrans = !is_first;
      next_octet = sent = std::max(sent, out.data.end);
      tlp_end_seq = sent;
    }
    if (repair == Repair::recovery) {
      prr_out += out.data.size();
      sndcnt -= out.data.size();
    }
    last_sent = now;
    if (out.kind == Outgoing::Kind::stream && repair != Repair::recovery) note_use();
    return is_first && std::exchange(tells_reduction, false);
  }

  bool acknowledged(std::int64_t now, const Segment& by, bool carries_data) {
    if (by.acknowledges < oldest) return false;
    const std::int64_t flight_before = sent - oldest, n = by.acknowledges - oldest;
    const std::int64_t una_before = oldest, sacked_before = sacked();
    const bool ece = by.ece && hears_marks();
    bool tells_of_more = false;
    for (const Octets& range : by.sack)
      for (Octet octet = range.begin; octet < range.end; ++octet) {
        if (!selective[octet]) tells_of_more = true;
        selective.set(octet);
      }
    if (n > 0) take_new(now, by, n, ece);
    const bool duplicate = p.sack ? tells_of_more : n == 0 && in_flight() && !carries_data;
    if (has_rack()) {
      if (n > 0 || tells_of_more) probe_goes = false;
      const bool has_echo = p.timestamps && n > 0;
      rack.acknowledged(now, oldest, selective,
                        has_echo ? std::optional(by.echo.ps()) : std::optional<std::int64_t>());
      tlp_process_ack(now, flight_before, n == 0 && !carries_data && by.sack.empty());
      look_for_losses(now);
    } else if (duplicate) {
      take_duplicate(now);
    }
    if (repair == Repair::recovery && p.recovery == TcpParameters::Recovery::prr)
      proportional_rate_reduction(oldest - una_before + sacked() - sacked_before);
    if (ece && repair == Repair::none && oldest > reduced_at) {
      control->congested(SimTime::from_ps(now), Bytes(flight_before), WindowControl::Congestion::mark);
      ++counts.reductions;
      reduced();
    }
    return n > 0;
  }

  void timed_out(std::int64_t now) {
    ++counts.timeouts;
    control->timed_out(SimTime::from_ps(now), Bytes(sent - oldest - limited), futile > 0);
    ++futile;
    round_trip.back_off();
    repair = Repair::after_timeout;
    recovery_point = sent;
    high_rxt = next_octet = oldest;
    if (p.sack) next_octet = sent;
    oldest_goes = has_rack();
    duplicates = 0;
    rack.mark_losses_on_rto(now, oldest);
    tlp_end_seq.reset();
    probe_goes = false;
    reduced();
  }

  // ---- RFC 8985

  bool has_rack() const { return p.loss_detection == TcpParameters::LossDetection::rack; }
  /// The reordering timer's.
  std::optional<std::int64_t> reordering_ends() const {
    return rack.timer ? std::optional(*rack.timer + p.timer_margin.ps()) : std::nullopt;
  }
  void reordering_ran_out(std::int64_t now) { look_for_losses(now); }

  /// TLP_calc_PTO() without its last two lines, where sections 7.2 and 7.3 let a probe be scheduled.
  std::optional<std::int64_t> pto() const {
    const bool may = has_rack() && in_flight() && repair == Repair::none && rack.segs_sacked(oldest) == 0 &&
                     !tlp_end_seq && measured_since_probe;
    if (!may) return std::nullopt;
    std::int64_t segments_in_flight = 0;
    for (const ReferenceRack::Line& line : rack.lines) segments_in_flight += line.octets.end > oldest ? 1 : 0;
    return 2 * round_trip.srtt + p.timer_margin.ps() +
           (segments_in_flight == 1 ? p.acknowledge_delay.ps() : 0);
  }
  void pto_expired() { probe_goes = true; }

  void opened(std::int64_t took, bool repeated) {
    if (took > 0) sample(took);
    if (!repeated) return;
    round_trip.timeout = std::max<std::int64_t>(round_trip.timeout, 3'000'000'000'000);
    control->begin_with(Bytes(s));
  }

  Octet oldest = 0, written = 0;
  bool restarts_timer = true;
  std::int64_t futile = 0;
  Counts counts;

 private:
  enum class Repair : std::uint8_t { none, recovery, after_timeout };

  std::int64_t w() const { return control->window().count(); }
  bool hears_marks() const { return p.ecn || p.control == TcpParameters::Control::dctcp; }

  /// From `begin` on, the first octets before `end` that are not acknowledged: at most S, without gaps.
  Octets first_missing(Octet begin, Octet end) const {
    while (begin < end && selective[begin]) ++begin;
    Octets range{begin, begin};
    while (range.end < end && range.size() < s && !selective[range.end]) ++range.end;
    return range;
  }

  std::optional<Outgoing> of_stream() const {
    const Octet end = std::min({next_octet + s, buffered(), oldest + p.receive_buffer.count()});
    const Outgoing out{{next_octet, end}};
    if (out.data.size() <= 0) return std::nullopt;
    if (out.data.size() < s && (end != written || (p.nagle && is_new(out) && in_flight())))
      return std::nullopt;
    return out;
  }

  bool fits(const Outgoing& out) const {
    std::int64_t under_way = next_octet - oldest, most = w();
    if (p.sack) {
      for (Octet octet = oldest; octet < sent; ++octet) under_way -= selective[octet] ? 1 : 0;
      if (repair == Repair::after_timeout) under_way = pipe();
      if (has_rack()) under_way = rack_pipe();
    } else if (repair == Repair::recovery) {
      most = std::max(s, w() + inflation);
    } else {
      most += s * std::min(duplicates, 2);
    }
    return under_way + out.data.size() <= most;
  }

  void note_use() {
    const std::optional<Outgoing> more = of_stream();
    const bool held = more && !fits(*more);
    if (!(held || oldest >= noted_sent || (!noted_held && sent - oldest > noted_flight))) return;
    noted_held = held;
    noted_flight = sent - oldest;
    noted_sent = sent;
  }

  // ---- RFC 6675, section 4

  /// IsLost() of each octet from `oldest` to `sent`, from the last one down.
  std::vector<bool> lost() const {
    std::vector<bool> is_lost(static_cast<std::size_t>(sent - oldest));
    std::int64_t octets = 0, sequences = 0;  // selectively acknowledged above
    for (Octet octet = sent - 1; octet >= oldest; --octet) {
      is_lost[static_cast<std::size_t>(octet - oldest)] =
          sequences >= 3 || octets > 2 * s || (repair == Repair::after_timeout && octet < recovery_point);
      if (!selective[octet]) continue;
      ++octets;
      if (!selective[octet + 1]) ++sequences;
    }
    return is_lost;
  }

  /// SetPipe().
  std::int64_t pipe() const {
    const std::vector<bool> is_lost = lost();
    std::int64_t octets = 0;
    for (Octet octet = oldest; octet < sent; ++octet) {
      if (selective[octet]) continue;
      if (!is_lost[static_cast<std::size_t>(octet - oldest)]) ++octets;
      if (octet < high_rxt) ++octets;
    }
    return octets;
  }

  /// NextSeg().
  std::optional<Outgoing> next_seg() const {
    const std::vector<bool> is_lost = lost();
    Octet covered = oldest;  // one past the highest octet that is selectively acknowledged
    for (Octet octet = oldest; octet < sent; ++octet)
      if (selective[octet]) covered = octet + 1;
    const auto unacknowledged = [this, &is_lost, covered](bool and_lost) -> std::optional<Outgoing> {
      for (Octet octet = std::max(high_rxt, oldest); octet < covered; ++octet)
        if (!selective[octet] && (!and_lost || is_lost[static_cast<std::size_t>(octet - oldest)]))
          return Outgoing{first_missing(octet, sent), Outgoing::Kind::hole};
      return std::nullopt;
    };
    if (const auto rule_1 = unacknowledged(true)) return rule_1;
    if (const auto rule_2 = of_stream()) return rule_2;
    if (const auto rule_3 = unacknowledged(false)) return rule_3;
    if (oldest <= rescue_rxt) return std::nullopt;
    Octet end = sent;
    while (end > oldest && selective[end - 1]) --end;
    Octets rule_4{end, end};
    while (rule_4.begin > oldest && rule_4.size() < s && !selective[rule_4.begin - 1]) --rule_4.begin;
    if (rule_4.size() == 0) return std::nullopt;
    return Outgoing{rule_4, Outgoing::Kind::rescue};
  }

  // ---- RFC 6937, section 3.1, with the slow start reduction bound; ssthresh is w()

  std::int64_t sacked() const {
    std::int64_t octets = 0;
    for (Octet octet = oldest; octet < sent; ++octet) octets += selective[octet] ? 1 : 0;
    return octets;
  }

  void proportional_rate_reduction(std::int64_t delivered_data) {
    prr_delivered += delivered_data;
    const std::int64_t in_pipe = has_rack() ? rack_pipe() : pipe();
    if (in_pipe > w()) {
      sndcnt = (prr_delivered * w() + recover_fs - 1) / recover_fs - prr_out;
    } else {
      const std::int64_t limit = std::max(prr_delivered - prr_out, delivered_data) + s;
      sndcnt = std::min(w() - in_pipe, limit);
    }
  }

  // ---- acknowledgements

  void take_new(std::int64_t now, const Segment& by, std::int64_t n, bool ece) {
    if (p.timestamps) {
      sample(now - by.echo.ps());
    } else if (timed_end >= 0 && by.acknowledges >= timed_end) {
      sample(now - timed_from);
      timed_end = -1;
    }
    const bool in_use = noted_held || (control->in_slow_start() && w() < 2 * noted_flight);
    const bool was_recovery = repair == Repair::recovery;
    oldest = by.acknowledges;
    next_octet = std::max(next_octet, oldest);
    limited = 0;
    futile = 0;
    duplicates = 0;
    control->acknowledged({SimTime::from_ps(now), Bytes(n), oldest, sent, ece,
                           in_use && !was_recovery && !ece, SimTime::from_ps(round_trip.srtt)});
    restarts_timer = true;
    if (repair != Repair::none && oldest >= recovery_point) {
      repair = Repair::none;
      oldest_goes = false;
      if (was_recovery && !p.sack) control->recovered(Bytes(sent - oldest));
    } else if (was_recovery && !p.sack) {
      inflation += n >= s ? s - n : -n;
      oldest_goes = true;
      restarts_timer = !partial;
      partial = true;
    }
  }

  void take_duplicate(std::int64_t now) {
    if (repair == Repair::recovery) inflation += s;
    if (repair != Repair::none) return;
    ++duplicates;
    const bool begins = p.sack ? duplicates >= 3 || lost().front()
                               : duplicates == 3 && (oldest > recovery_point || recovery_point == 0);
    if (begins) begin_recovery(now);
  }

  void begin_recovery(std::int64_t now) {
    ++counts.fast_recoveries;
    std::int64_t in_flight_size = sent - oldest - limited;
    if (repair == Repair::recovery) in_flight_size = std::min(in_flight_size, w());
    control->congested(SimTime::from_ps(now), Bytes(in_flight_size), WindowControl::Congestion::loss);
    repair = Repair::recovery;
    recovery_point = sent;
    tlp_end_seq.reset();  // RFC 8985, 7.1: reset when initiating fast recovery
    high_rxt = oldest;
    rescue_rxt = oldest;
    oldest_goes = true;
    prr_delivered = prr_out = sndcnt = 0;
    recover_fs = sent - oldest;
    inflation = 3 * s;
    partial = false;
    reduced();
  }

  void sample(std::int64_t took) {
    round_trip.sample(took);
    rack.measured(took);
    measured_since_probe = true;
  }

  std::optional<Outgoing> next_with_rack() const {
    const std::optional<Octets> lost = rack.first_lost();
    if (oldest_goes && lost) return Outgoing{*lost, Outgoing::Kind::oldest};
    if (probe_goes) {
      const Octet end = std::min({sent + s, buffered(), oldest + p.receive_buffer.count()});
      const bool is_whole = end - sent == s || end == written;
      if (end > sent && is_whole) return Outgoing{{sent, end}, Outgoing::Kind::probe};
      return Outgoing{rack.lines.back().octets, Outgoing::Kind::probe};
    }
    std::optional<Outgoing> out = of_stream();
    if (lost) out = Outgoing{*lost, Outgoing::Kind::hole};
    if (!out) return std::nullopt;
    bool may = rack_pipe() + out->data.size() <= w();
    if (repair == Repair::recovery)
      may = s <= (p.recovery == TcpParameters::Recovery::prr ? sndcnt : w() - rack_pipe());
    return may ? out : std::nullopt;
  }

  std::int64_t rack_pipe() const { return sent - oldest - sacked() - rack.lost_octets(); }

  void look_for_losses(std::int64_t now) {
    const ReferenceRack::Found found = rack.detect_loss(now, oldest, repair != Repair::none, round_trip.srtt);
    if (found.any) probe_goes = false;
    if (repair == Repair::none ? rack.first_lost().has_value()
                               : repair == Repair::recovery && found.since_cut)
      begin_recovery(now);
  }

  /// Section 7.4.2, without DSACK.
  void tlp_process_ack(std::int64_t now, std::int64_t flight_before, bool is_dupack_without_sack) {
    if (!tlp_end_seq || oldest < *tlp_end_seq) return;
    if (!tlp_is_retrans) {
      tlp_end_seq.reset();
    } else if (oldest > *tlp_end_seq) {
      tlp_end_seq.reset();
      if (repair != Repair::none) return;
      control->congested(SimTime::from_ps(now), Bytes(flight_before), WindowControl::Congestion::loss);
      reduced();
    } else if (is_dupack_without_sack) {
      tlp_end_seq.reset();
    }
  }

  void reduced() {
    rack.cut();
    reduced_at = sent;
    tells_reduction = true;
  }

  const TcpParameters& p;
  std::int64_t s;
  std::unique_ptr<WindowControl> control;

 public:
  ReferenceRoundTrip round_trip;

 private:
  Octet next_octet = 0, sent = 0;
  Flags selective;
  Repair repair = Repair::none;
  Octet recovery_point = 0, high_rxt = 0, rescue_rxt = 0;
  bool oldest_goes = false, partial = false;
  int duplicates = 0;
  std::int64_t limited = 0, inflation = 0;
  std::int64_t prr_delivered = 0, prr_out = 0, recover_fs = 0, sndcnt = 0;
  bool noted_held = false;
  std::int64_t noted_flight = 0;
  Octet noted_sent = 0, reduced_at = -1, timed_end = -1;
  bool tells_reduction = false;
  ReferenceRack rack;
  std::optional<Octet> tlp_end_seq;
  bool tlp_is_retrans = false, probe_goes = false, measured_since_probe = false;
  std::int64_t timed_from = 0, last_sent = 0;
};

}  // namespace morgana::testing::tcp_reference
