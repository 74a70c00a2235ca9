#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/congestion/congestion_control.h"
#include "emulator/transport/congestion/dctcp.h"
#include "tests/transport/reference_window.h"

namespace morgana::testing {

/// The rules of DctcpFlow's header, written down plainly over the model of DCTCP's own: all are whole bytes
/// since the flow began.
class ReferenceDctcpFlow {
 public:
  ReferenceDctcpFlow(const DctcpParameters& parameters, std::int64_t bits_per_second, std::int64_t packet,
                     std::int64_t least_most)
      : segments{.segment = Bytes(packet), .initial = 1, .byte_counting = 2},
        w(segments, parameters),
        c(static_cast<double>(bits_per_second)),
        product(least_most),
        most(std::max(least_most, 2 * packet)) {
    w.begin_with(Bytes(most));
  }

  void sent(SimTime b, std::int64_t size) {
    in_flight += size;
    const double rate =
        window() < product ? c * static_cast<double>(window()) / static_cast<double>(product) : c;
    const double takes = 8e12 * static_cast<double>(size) / rate;
    may_send = b + SimTime::from_ps(std::llround(takes));
  }
  void acknowledged(const FlowFeedback& f) {
    const std::int64_t n = f.returned.count();
    newest = std::max(newest, f.place);
    in_flight = f.under_way.count();
    reported += f.marked_bytes.count();
    const std::int64_t m = std::min(n, reported - counted);
    counted += m;
    const bool marks = f.marked_bytes.count() > 0;
    const auto learn = [&](std::int64_t bytes, std::int64_t up_to, bool marked) {
      const bool grows = !marks && w.window().count() < most && heard() > g;
      if (bytes > 0)
        w.acknowledged({f.now, Bytes(bytes), up_to, heard() + in_flight, marked, grows, f.round_trip});
    };
    learn(n - m, heard() - m, false);
    learn(m, heard(), true);
    if (n > 0) again = false;
    if (marks && heard() > r) {
      w.congested(f.now, Bytes(in_flight + n), WindowControl::Congestion::mark);
      r = g = heard() + in_flight;
    }
  }
  void trimmed(const TrimFeedback& f) {
    gone += f.packet.count();
    in_flight = f.under_way.count() - f.packet.count();
    if (heard() <= r) return;
    w.congested(f.now, f.under_way, WindowControl::Congestion::loss);
    r = g = heard() + in_flight;
  }
  void repeats(SimTime now, CongestionControl::Repetition why) {
    if (why == CongestionControl::Repetition::by_timeout) {
      w.timed_out(now, Bytes(in_flight), again);
      again = true;
      r = heard() + in_flight;
      g = 0;
    } else if (heard() > r) {
      w.congested(now, Bytes(in_flight), WindowControl::Congestion::loss);
      r = g = heard() + in_flight;
    }
    in_flight = 0;
  }
  std::int64_t window() const { return std::min(w.window().count(), most); }
  std::int64_t heard() const { return newest + gone; }

  WindowParameters segments;
  ReferenceDctcp w;
  double c;
  std::int64_t product, most;
  std::int64_t newest = 0, gone = 0, in_flight = 0, reported = 0, counted = 0, r = 0, g = 0;
  bool again = false;
  SimTime may_send;
};

}  // namespace morgana::testing
