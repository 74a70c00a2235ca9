#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "tests/transport/reference_tcp_receiver.h"

namespace morgana::testing::tcp_reference {

/// RFC 8985, section 6, as its text has it: a line for each segment that was ever sent, all of which each
/// step goes through. Without DSACK, so that RACK.reo_wnd_mult stays 1. Times in ps.
struct ReferenceRack {
  struct Line {
    Octets octets;
    std::int64_t xmit_ts;
    bool retransmitted = false, lost = false, delivered = false;
    bool since_cut = true;  ///< sent after the window was cut last
  };
  std::vector<Line> lines;  // in the order of their octets

  std::int64_t min_rtt = 0, rtt = 0, reo_wnd = 0;
  std::int64_t xmit_ts = -1;  // of the segment that was sent last of those delivered
  Octet end_seq = 0, fack = 0;
  bool reordering_seen = false;
  std::optional<std::int64_t> timer;  // the reordering timer

  void transmit(Octets octets, std::int64_t now) { lines.push_back({octets, now}); }
  void retransmit(Octet begin, std::int64_t now) {
    for (Line& line : lines)
      if (line.octets.begin == begin) line = {.octets = line.octets, .xmit_ts = now, .retransmitted = true};
  }
  void measured(std::int64_t sample) { min_rtt = min_rtt == 0 ? sample : std::min(min_rtt, sample); }
  void cut() {
    for (Line& line : lines) line.since_cut = false;
  }

  std::int64_t segs_sacked(Octet una) const {
    return std::ranges::count_if(
        lines, [una](const Line& line) { return line.delivered && line.octets.begin >= una; });
  }
  std::int64_t lost_octets() const {
    std::int64_t octets = 0;
    for (const Line& line : lines)
      if (line.lost && !line.delivered) octets += line.octets.size();
    return octets;
  }
  std::optional<Octets> first_lost() const {
    for (const Line& line : lines)
      if (line.lost && !line.delivered) return line.octets;
    return std::nullopt;
  }

  /// Steps 1 to 3. @param una  SND.UNA, this acknowledgement's @param echo  if there are timestamps, where
  /// the acknowledgement is of something new
  void acknowledged(std::int64_t now, Octet una, const Flags& sacked, std::optional<std::int64_t> echo) {
    std::vector<Line*> newly;
    for (Line& line : lines) {
      bool covered = line.octets.end > una;
      for (Octet octet = line.octets.begin; octet < line.octets.end; ++octet) covered &= sacked[octet];
      if (!line.delivered && (line.octets.end <= una || covered)) newly.push_back(&line);
    }
    std::ranges::stable_sort(newly, {}, &Line::xmit_ts);
    for (Line* line : newly) {
      line->delivered = true;
      const std::int64_t sample = now - line->xmit_ts;
      if (line->retransmitted) {
        if (echo && line->octets.end <= una && *echo < line->xmit_ts) continue;
        if (sample < min_rtt) continue;
      }
      rtt = sample;
      if (!sent_after(line->xmit_ts, line->octets.end, xmit_ts, end_seq)) continue;
      xmit_ts = line->xmit_ts;
      end_seq = line->octets.end;
    }
    for (const Line* line : newly) {
      if (line->octets.end > fack)
        fack = line->octets.end;
      else if (line->octets.end < fack && !line->retransmitted)
        reordering_seen = true;
    }
  }

  struct Found {
    bool any = false, since_cut = false;
  };
  /// Steps 4 and 5.
  Found detect_loss(std::int64_t now, Octet una, bool in_recovery, std::int64_t srtt) {
    reo_wnd = std::min(min_rtt / 4, srtt);
    if (!reordering_seen && (in_recovery || segs_sacked(una) >= 3)) reo_wnd = 0;
    Found found;
    std::int64_t timeout = 0;
    for (Line& line : lines) {
      if (line.delivered || line.lost) continue;
      if (!sent_after(xmit_ts, end_seq, line.xmit_ts, line.octets.end)) continue;
      const std::int64_t remaining = line.xmit_ts + rtt + reo_wnd - now;
      if (remaining <= 0) {
        line.lost = found.any = true;
        found.since_cut |= line.since_cut;
      } else {
        timeout = std::max(timeout, remaining);
      }
    }
    timer.reset();
    if (timeout > 0) timer = now + timeout;
    return found;
  }

  /// Section 6.3.
  void mark_losses_on_rto(std::int64_t now, Octet una) {
    for (Line& line : lines)
      if (!line.delivered && (line.octets.begin == una || line.xmit_ts + rtt + reo_wnd <= now))
        line.lost = true;
    timer.reset();
  }

 private:
  static bool sent_after(std::int64_t t1, Octet seq1, std::int64_t t2, Octet seq2) {
    return t1 > t2 || (t1 == t2 && seq1 > seq2);
  }
};

}  // namespace morgana::testing::tcp_reference
