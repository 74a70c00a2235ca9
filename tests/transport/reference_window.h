#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>

#include "emulator/transport/congestion/cubic.h"
#include "emulator/transport/congestion/dctcp.h"
#include "emulator/transport/congestion/new_reno.h"
#include "emulator/transport/congestion/window_control.h"
#include "emulator/transport/tcp/parameters.h"

namespace morgana::testing {

/// The rules of NewReno's header, written down plainly: W, T and what counted are numbers of bytes.
class ReferenceNewReno : public WindowControl {
 public:
  explicit ReferenceNewReno(const WindowParameters& parameters)
      : s(parameters.segment.count()),
        initial(parameters.initial),
        byte_counting(parameters.byte_counting),
        w(initial * s),
        t(parameters.slow_start > 0 ? parameters.slow_start * s : std::numeric_limits<std::int64_t>::max()) {}

  void acknowledged(const Acknowledged& what) override {
    if (!what.grows) return;
    const std::int64_t n = what.bytes.count();
    if (w < t) {
      w += std::min(n, byte_counting * s);
      return;
    }
    counted += n;
    if (counted < w) return;
    counted -= w;
    w += s;
  }
  void congested(SimTime, Bytes in_flight, Congestion) override { cut(in_flight.count() / 2); }
  void timed_out(SimTime, Bytes in_flight, bool again) override {
    if (!again) t = std::max(in_flight.count() / 2, 2 * s);
    w = s;
    counted = 0;
  }
  void recovered(Bytes in_flight) override { w = std::min(t, std::max(in_flight.count(), s) + s); }
  void rested() override { w = std::min(w, initial * s); }
  void begin_with(Bytes window) override { w = window.count(); }
  Bytes window() const override { return Bytes(w); }
  bool in_slow_start() const override { return w < t; }

  std::int64_t threshold() const { return t; }

 protected:
  void cut(std::int64_t to) {
    w = t = std::max(to, 2 * s);
    counted = 0;
  }

  std::int64_t s, initial, byte_counting;
  std::int64_t w, t, counted = 0;
};

/// Likewise, of Dctcp's header.
class ReferenceDctcp : public ReferenceNewReno {
 public:
  ReferenceDctcp(const WindowParameters& window, const DctcpParameters& parameters)
      : ReferenceNewReno(window), g(parameters.gain), alpha(parameters.first_alpha) {}

  void acknowledged(const Acknowledged& what) override {
    all += what.bytes.count();
    if (what.marked) marked += what.bytes.count();
    if (what.up_to > end) {
      const double m = static_cast<double>(marked) / static_cast<double>(all);
      alpha = (1 - g) * alpha + g * m;
      all = marked = 0;
      end = what.sent_up_to;
    }
    ReferenceNewReno::acknowledged(what);
  }
  void congested(SimTime now, Bytes in_flight, Congestion why) override {
    if (why == Congestion::loss) return ReferenceNewReno::congested(now, in_flight, why);
    cut(static_cast<std::int64_t>(std::floor(static_cast<double>(w) * (1 - alpha / 2))));
  }

 private:
  double g;
  std::int64_t all = 0, marked = 0, end = 0;

 public:
  double alpha;
};

/// Likewise, of Cubic's header: `segments` is its w, and W of the base its whole bytes.
class ReferenceCubic : public ReferenceNewReno {
 public:
  ReferenceCubic(const WindowParameters& window, const CubicParameters& parameters)
      : ReferenceNewReno(window),
        c(parameters.aggressiveness),
        beta(parameters.decrease),
        fast_convergence(parameters.fast_convergence) {
    count_segments();
  }

  void acknowledged(const Acknowledged& what) override {
    if (!what.grows) {
      if (!idle_since) idle_since = what.now;
      return;
    }
    if (idle_since && epoch) *epoch += what.now - *idle_since;
    idle_since.reset();
    if (w < t) {
      ReferenceNewReno::acknowledged(what);
      count_segments();
      return;
    }
    if (!epoch) {
      epoch = what.now;
      w_est = segments;
      if (!after_timeout && segments < w_max) {
        k = std::cbrt((w_max - segments) / c);
      } else {
        k = 0;
        w_max = segments;
      }
      after_timeout = false;
    }
    const double time = (what.now - *epoch).seconds(), r = what.round_trip.seconds();
    const double n = static_cast<double>(what.bytes.count()) / static_cast<double>(s);
    const double a = w_est >= w_prior ? 1 : 3 * (1 - beta) / (1 + beta);
    w_est += a * n / segments;
    if (cubic(time) < w_est) {
      segments = std::max(segments, w_est);
    } else {
      const double target = std::min(std::max(cubic(time + r), segments), 1.5 * segments);
      segments += (target - segments) / segments * n;
    }
    w = static_cast<std::int64_t>(std::floor(segments * static_cast<double>(s)));
  }
  void congested(SimTime, Bytes in_flight, Congestion) override {
    end_epoch();
    after_timeout = false;
    cut(reduced(in_flight));
    count_segments();
  }
  void timed_out(SimTime, Bytes in_flight, bool again) override {
    if (again) {
      epoch.reset();
    } else {
      end_epoch();
      t = std::max(reduced(in_flight), 2 * s);
    }
    after_timeout = true;
    w = s;
    count_segments();
  }
  void recovered(Bytes in_flight) override {
    ReferenceNewReno::recovered(in_flight);
    count_segments();
  }
  void rested() override {
    if (w <= initial * s) return;
    ReferenceNewReno::rested();
    count_segments();
  }
  void begin_with(Bytes window) override {
    ReferenceNewReno::begin_with(window);
    count_segments();
  }

 private:
  void count_segments() { segments = static_cast<double>(w) / static_cast<double>(s); }
  double cubic(double time) const { return c * (time - k) * (time - k) * (time - k) + w_max; }
  std::int64_t reduced(Bytes in_flight) const {
    return static_cast<std::int64_t>(std::floor(static_cast<double>(in_flight.count()) * beta));
  }
  void end_epoch() {
    epoch.reset();
    w_prior = segments;
    w_max = segments < w_max && fast_convergence ? segments * (1 + beta) / 2 : segments;
  }

  double c, beta;
  bool fast_convergence;
  double segments = 0, w_max = 0, w_prior = 0, w_est = 0, k = 0;
  std::optional<SimTime> epoch, idle_since;
  bool after_timeout = false;
};

inline std::unique_ptr<WindowControl> reference_window(const TcpParameters& parameters) {
  switch (parameters.control) {
    case TcpParameters::Control::new_reno:
      break;
    case TcpParameters::Control::dctcp:
      return std::make_unique<ReferenceDctcp>(parameters.window, parameters.dctcp);
    case TcpParameters::Control::cubic:
      return std::make_unique<ReferenceCubic>(parameters.window, parameters.cubic);
  }
  return std::make_unique<ReferenceNewReno>(parameters.window);
}

}  // namespace morgana::testing
