#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/transport/congestion/dcqcn.h"

namespace morgana::testing {

/// The rules of Dcqcn's header, written down plainly: every timer is an entry of a list, and before anything
/// happens the list is searched for what has run out.
class ReferenceDcqcn {
 public:
  ReferenceDcqcn(const DcqcnParameters& parameters, BitRate line_rate)
      : parameters_(parameters),
        line_rate_(static_cast<double>(line_rate.bits_per_second())),
        rate_(line_rate_),
        target_(line_rate_) {}

  void sent(SimTime now, Bytes size) {
    run_timers(now);
    const double bits = 8.0 * static_cast<double>(size.count());
    may_send_ = now + SimTime::from_ps(static_cast<std::int64_t>(std::floor(bits * 1e12 / rate_ + 0.5)));
    if (!was_cut_ || !has_byte_counter()) return;
    bytes_ += size.count();
    if (bytes_ < parameters_.byte_counter.count()) return;
    bytes_ -= parameters_.byte_counter.count();
    step();
    ++steps_by_bytes_;
  }

  void notified(SimTime now) {
    run_timers(now);
    const bool is_first = !was_notified_;
    was_notified_ = true;
    if (is_first) {
      alpha_ = parameters_.first_alpha;
      start(TimerKind::alpha, now + parameters_.alpha_timer);
      if (has_cut_timer()) start(TimerKind::cut, now + parameters_.cut_interval);
    }
    if (has_cut_timer())
      cut_period_has_cnp_ = true;
    else
      cut(now);
    if (grows_by_period()) {
      if (!is_first) alpha_period_has_cnp_ = true;
    } else {
      alpha_ = (1 - parameters_.gain) * alpha_ + parameters_.gain;
      start(TimerKind::alpha, now + parameters_.alpha_timer);
    }
  }

  SimTime may_send() const { return may_send_; }
  double rate(SimTime now) {
    run_timers(now);
    return rate_;
  }
  double alpha(SimTime now) {
    run_timers(now);
    return alpha_;
  }
  double target(SimTime now) {
    run_timers(now);
    return target_;
  }
  /// Since the cut, by timer and by bytes: how far the increase has come.
  std::uint64_t fewer_steps() const { return std::min(steps_by_timer_, steps_by_bytes_); }
  std::uint64_t more_steps() const { return std::max(steps_by_timer_, steps_by_bytes_); }

 private:
  enum class TimerKind : std::uint8_t { alpha, cut, increase };  // in the order of one instant
  struct Timer {
    SimTime runs_out;
    TimerKind kind;
  };

  bool grows_by_period() const { return parameters_.growth == DcqcnParameters::Growth::by_period; }
  bool has_cut_timer() const { return parameters_.cut_interval > SimTime(); }
  bool has_byte_counter() const { return parameters_.byte_counter > Bytes(0); }

  /// Anew, if it runs already.
  void start(TimerKind kind, SimTime runs_out) {
    std::erase_if(timers_, [kind](const Timer& timer) { return timer.kind == kind; });
    timers_.push_back({runs_out, kind});
  }

  void run_timers(SimTime now) {
    while (true) {
      const auto first =
          std::min_element(timers_.begin(), timers_.end(), [](const Timer& one, const Timer& other) {
            return one.runs_out != other.runs_out ? one.runs_out < other.runs_out : one.kind < other.kind;
          });
      if (first == timers_.end() || first->runs_out > now) return;
      ran_out(*first);
    }
  }

  /// @param timer  a copy: the list changes
  void ran_out(Timer timer) {
    switch (timer.kind) {
      case TimerKind::alpha:
        start(timer.kind, timer.runs_out + parameters_.alpha_timer);
        alpha_ = grows_by_period() && alpha_period_has_cnp_
                     ? (1 - parameters_.gain) * alpha_ + parameters_.gain
                     : (1 - parameters_.gain) * alpha_;
        alpha_period_has_cnp_ = false;
        break;
      case TimerKind::cut:
        start(timer.kind, timer.runs_out + parameters_.cut_interval);
        if (cut_period_has_cnp_) cut(timer.runs_out);
        cut_period_has_cnp_ = false;
        break;
      case TimerKind::increase:
        start(timer.kind, timer.runs_out + parameters_.increase_timer);
        step();
        ++steps_by_timer_;
        break;
    }
  }

  void cut(SimTime now) {
    if (parameters_.clamp_target || more_steps() > 0) target_ = rate_;
    rate_ = std::max(static_cast<double>(parameters_.least_rate.bits_per_second()), rate_ * (1 - alpha_ / 2));
    was_cut_ = true;
    start(TimerKind::increase, now + parameters_.increase_timer);
    bytes_ = 0;
    steps_by_timer_ = steps_by_bytes_ = 0;
  }

  void step() {
    const std::uint64_t k = has_byte_counter() ? more_steps() : steps_by_timer_;
    const std::uint64_t l = has_byte_counter() ? fewer_steps() : steps_by_timer_;
    if (k >= parameters_.fast_recovery) {
      const BitRate more =
          l > parameters_.fast_recovery ? parameters_.hyper_increase : parameters_.additive_increase;
      target_ = std::min(line_rate_, target_ + static_cast<double>(more.bits_per_second()));
    }
    rate_ = std::min(line_rate_, (rate_ + target_) / 2);
  }

  DcqcnParameters parameters_;
  double line_rate_, rate_, target_;  // C, R, T
  double alpha_ = 0;
  bool was_notified_ = false, was_cut_ = false;
  bool alpha_period_has_cnp_ = false, cut_period_has_cnp_ = false;
  std::vector<Timer> timers_;
  std::int64_t bytes_ = 0;
  std::uint64_t steps_by_timer_ = 0, steps_by_bytes_ = 0;  // i, j
  SimTime may_send_;
};

}  // namespace morgana::testing
