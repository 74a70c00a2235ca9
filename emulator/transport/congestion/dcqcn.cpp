#include "emulator/transport/congestion/dcqcn.h"

#include <algorithm>
#include <cmath>

namespace morgana {

Dcqcn::Dcqcn(const DcqcnParameters& parameters, BitRate line_rate)
    : parameters_(parameters),
      line_rate_(static_cast<double>(line_rate.bits_per_second())),
      rate_(line_rate_),
      target_(line_rate_) {}

void Dcqcn::sent(SimTime now, Bytes size) {
  catch_up(now);
  constexpr double bit_picoseconds = 8e12;
  may_send_ =
      now + SimTime::from_ps(std::llround(bit_picoseconds * static_cast<double>(size.count()) / rate_));
  if (increase_runs_out_ == SimTime::max() || parameters_.byte_counter == Bytes(0)) return;
  bytes_ += size.count();
  if (bytes_ < parameters_.byte_counter.count()) return;
  bytes_ -= parameters_.byte_counter.count();
  step(by_bytes_);
}

void Dcqcn::notified(SimTime now) {
  catch_up(now);
  const bool by_period = parameters_.growth == DcqcnParameters::Growth::by_period;
  if (!notified_) {
    notified_ = true;
    alpha_ = parameters_.first_alpha;
    alpha_runs_out_ = now + parameters_.alpha_timer;
    if (parameters_.cut_interval > SimTime()) cut_runs_out_ = now + parameters_.cut_interval;
  } else {
    in_alpha_period_ = true;
  }
  if (parameters_.cut_interval > SimTime())
    in_cut_period_ = true;
  else
    cut(now);
  if (by_period) return;
  alpha_ = (1 - parameters_.gain) * alpha_ + parameters_.gain;
  alpha_runs_out_ = now + parameters_.alpha_timer;
}

BitRate Dcqcn::rate(SimTime now) {
  catch_up(now);
  return BitRate(std::llround(rate_));
}

double Dcqcn::alpha(SimTime now) {
  catch_up(now);
  return alpha_;
}

double Dcqcn::target(SimTime now) {
  catch_up(now);
  return target_;
}

/// What timers have done by now.
void Dcqcn::catch_up(SimTime now) {
  for (;;) {
    if (rests()) return rest(now);
    const SimTime soonest = std::min({alpha_runs_out_, cut_runs_out_, increase_runs_out_});
    if (soonest > now) return;
    if (alpha_runs_out_ == soonest) {
      alpha_timer_ran_out();
      alpha_runs_out_ += parameters_.alpha_timer;
    } else if (cut_runs_out_ == soonest) {
      if (in_cut_period_) cut(soonest);
      in_cut_period_ = false;
      cut_runs_out_ += parameters_.cut_interval;
    } else {
      increase_runs_out_ += parameters_.increase_timer;
      step(by_timer_);
    }
  }
}

namespace {

/// How often a timer has run out by now; it is set on.
std::int64_t times_run_out(SimTime& runs_out, SimTime period, SimTime now) {
  if (runs_out > now) return 0;
  const std::int64_t times = (now - runs_out).ps() / period.ps() + 1;
  runs_out += times * period;
  return times;
}

}  // namespace

/// At the line rate, with no CNP to act on: timers change nothing but alpha, and count steps.
bool Dcqcn::rests() const {
  return rate_ == line_rate_ && target_ == line_rate_ && !in_alpha_period_ && !in_cut_period_;
}

void Dcqcn::rest(SimTime now) {
  std::int64_t decays = times_run_out(alpha_runs_out_, parameters_.alpha_timer, now);
  for (; decays > 0 && alpha_ != 0; --decays) alpha_ = (1 - parameters_.gain) * alpha_;
  if (cut_runs_out_ <= now) times_run_out(cut_runs_out_, parameters_.cut_interval, now);
  if (increase_runs_out_ <= now)
    by_timer_ += static_cast<unsigned>(times_run_out(increase_runs_out_, parameters_.increase_timer, now));
}

void Dcqcn::alpha_timer_ran_out() {
  const bool grows = parameters_.growth == DcqcnParameters::Growth::by_period && in_alpha_period_;
  alpha_ = (1 - parameters_.gain) * alpha_ + (grows ? parameters_.gain : 0);
  in_alpha_period_ = false;
}

void Dcqcn::cut(SimTime now) {
  if (parameters_.clamp_target || by_timer_ > 0 || by_bytes_ > 0) target_ = rate_;
  const auto least = static_cast<double>(parameters_.least_rate.bits_per_second());
  rate_ = std::min(line_rate_, std::max(least, rate_ * (1 - alpha_ / 2)));
  increase_runs_out_ = now + parameters_.increase_timer;
  bytes_ = 0;
  by_timer_ = by_bytes_ = 0;
}

void Dcqcn::step(unsigned& steps) {
  const bool counts_bytes = parameters_.byte_counter > Bytes(0);
  const unsigned most = counts_bytes ? std::max(by_timer_, by_bytes_) : by_timer_;
  const unsigned least = counts_bytes ? std::min(by_timer_, by_bytes_) : by_timer_;
  if (most >= parameters_.fast_recovery) {
    const BitRate more =
        least > parameters_.fast_recovery ? parameters_.hyper_increase : parameters_.additive_increase;
    target_ = std::min(line_rate_, target_ + static_cast<double>(more.bits_per_second()));
  }
  rate_ = std::min(line_rate_, (rate_ + target_) / 2);
  ++steps;
}

}  // namespace morgana
