#pragma once

#include <compare>
#include <cstdint>
#include <limits>

namespace morgana {

/// Simulated time, as a point or as a span: a whole number of picoseconds, about +-106 days.
/// There is no floating point inside the clock: a quantity that is no whole number of picoseconds
/// (an ATM cell at 155.52 Mb/s) is rounded once, where the platform is read.
class SimTime {
 public:
  constexpr SimTime() = default;
  static constexpr SimTime from_ps(std::int64_t ps) { return SimTime(ps); }
  /// Nearest picosecond; @param seconds must lie within +-9e6.
  static constexpr SimTime from_seconds(double seconds) {
    const double ps = seconds * 1e12;
    return SimTime(static_cast<std::int64_t>(ps < 0 ? ps - 0.5 : ps + 0.5));
  }
  static constexpr SimTime max() { return SimTime(std::numeric_limits<std::int64_t>::max()); }

  constexpr std::int64_t ps() const { return ps_; }
  constexpr double seconds() const { return static_cast<double>(ps_) * 1e-12; }

  constexpr auto operator<=>(const SimTime&) const = default;
  constexpr SimTime& operator+=(SimTime other) {
    ps_ += other.ps_;
    return *this;
  }
  constexpr SimTime& operator-=(SimTime other) {
    ps_ -= other.ps_;
    return *this;
  }
  friend constexpr SimTime operator+(SimTime a, SimTime b) { return a += b; }
  friend constexpr SimTime operator-(SimTime a, SimTime b) { return a -= b; }
  friend constexpr SimTime operator*(SimTime a, std::int64_t n) { return SimTime(a.ps_ * n); }
  friend constexpr SimTime operator*(std::int64_t n, SimTime a) { return a * n; }
  /// How many whole `b` fit into `a`.
  friend constexpr std::int64_t operator/(SimTime a, SimTime b) { return a.ps_ / b.ps_; }

 private:
  explicit constexpr SimTime(std::int64_t ps) : ps_(ps) {}
  std::int64_t ps_ = 0;
};

namespace literals {
constexpr SimTime operator""_ps(unsigned long long n) {
  return SimTime::from_ps(static_cast<std::int64_t>(n));
}
constexpr SimTime operator""_ns(unsigned long long n) {
  return 1'000 * operator""_ps(n);
}
constexpr SimTime operator""_us(unsigned long long n) {
  return 1'000'000 * operator""_ps(n);
}
constexpr SimTime operator""_ms(unsigned long long n) {
  return 1'000'000'000 * operator""_ps(n);
}
constexpr SimTime operator""_s(unsigned long long n) {
  return 1'000'000'000'000 * operator""_ps(n);
}
}  // namespace literals

}  // namespace morgana
