#pragma once

#include <compare>

#include "emulator/core/time.h"
#include "emulator/core/units.h"

namespace morgana::pipeline {

// The theory's sizes and times are real numbers: its optima are roots and solutions of linear equations, and
// a compound stage's costs come from a regression. What is carried out (schedule.h) has whole bytes and whole
// picoseconds, so that sums of times are exact.

/// A real number with a unit, which `Unit` names.
template <class Unit>
class Real {
 public:
  constexpr Real() = default;
  explicit constexpr Real(double value) : value_(value) {}
  constexpr double value() const { return value_; }

  constexpr auto operator<=>(const Real&) const = default;
  constexpr Real& operator+=(Real other) { return value_ += other.value_, *this; }
  constexpr Real& operator-=(Real other) { return value_ -= other.value_, *this; }
  friend constexpr Real operator+(Real a, Real b) { return a += b; }
  friend constexpr Real operator-(Real a, Real b) { return a -= b; }
  friend constexpr Real operator*(Real a, double factor) { return Real(a.value_ * factor); }
  friend constexpr Real operator*(double factor, Real a) { return a * factor; }
  friend constexpr Real operator/(Real a, double divisor) { return Real(a.value_ / divisor); }
  friend constexpr double operator/(Real a, Real b) { return a.value_ / b.value_; }

 private:
  double value_ = 0;
};

using RealBytes = Real<struct ByteUnit>;               ///< in bytes
using RealTime = Real<struct PicosecondUnit>;          ///< in picoseconds
using RealCost = Real<struct PicosecondsPerByteUnit>;  ///< in picoseconds per byte

constexpr RealTime operator*(RealBytes size, RealCost cost) {
  return RealTime(size.value() * cost.value());
}
constexpr RealBytes operator/(RealTime time, RealCost cost) {
  return RealBytes(time.value() / cost.value());
}

constexpr RealBytes real(Bytes size) {
  return RealBytes(static_cast<double>(size.count()));
}
constexpr RealTime real(SimTime time) {
  return RealTime(static_cast<double>(time.ps()));
}
constexpr RealCost real(ByteCost cost) {
  constexpr double fs_per_ps = 1000;
  return RealCost(static_cast<double>(cost.fs()) / fs_per_ps);
}

}  // namespace morgana::pipeline
