#pragma once

#include <compare>
#include <cstdint>

#include "emulator/core/time.h"

namespace morgana {

/// A number of bytes, never negative in a valid program.
class Bytes {
 public:
  constexpr Bytes() = default;
  explicit constexpr Bytes(std::int64_t count) : count_(count) {}
  constexpr std::int64_t count() const { return count_; }

  constexpr auto operator<=>(const Bytes&) const = default;
  constexpr Bytes& operator+=(Bytes other) {
    count_ += other.count_;
    return *this;
  }
  constexpr Bytes& operator-=(Bytes other) {
    count_ -= other.count_;
    return *this;
  }
  friend constexpr Bytes operator+(Bytes a, Bytes b) { return a += b; }
  friend constexpr Bytes operator-(Bytes a, Bytes b) { return a -= b; }
  friend constexpr Bytes operator*(Bytes a, std::int64_t n) { return Bytes(a.count_ * n); }
  friend constexpr Bytes operator*(std::int64_t n, Bytes a) { return a * n; }

 private:
  std::int64_t count_ = 0;
};

namespace literals {
constexpr Bytes operator""_B(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n));
}
constexpr Bytes operator""_KiB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) * 1024);
}
constexpr Bytes operator""_MiB(unsigned long long n) {
  return Bytes(static_cast<std::int64_t>(n) * 1024 * 1024);
}
}  // namespace literals

/// A line rate in whole bits per second, > 0.
class BitRate {
 public:
  constexpr BitRate() = default;
  explicit constexpr BitRate(std::int64_t bits_per_second) : bits_per_second_(bits_per_second) {}
  constexpr std::int64_t bits_per_second() const { return bits_per_second_; }
  constexpr auto operator<=>(const BitRate&) const = default;

  /// Time to send `size` at this rate, to the nearest picosecond.
  constexpr SimTime time_for(Bytes size) const { return time_for_bits(8 * size.count()); }
  constexpr SimTime time_for_bits(std::int64_t bits) const {
    const __int128 ps = static_cast<__int128>(bits) * 1'000'000'000'000;
    return SimTime::from_ps(static_cast<std::int64_t>((ps + bits_per_second_ / 2) / bits_per_second_));
  }

 private:
  std::int64_t bits_per_second_ = 1;
};

/// A cost per byte, in whole femtoseconds (LogGP's G, a copy's cost), >= 0.
class ByteCost {
 public:
  constexpr ByteCost() = default;
  static constexpr ByteCost from_fs(std::int64_t fs_per_byte) { return ByteCost(fs_per_byte); }
  constexpr std::int64_t fs() const { return fs_per_byte_; }
  constexpr auto operator<=>(const ByteCost&) const = default;

  /// Cost of `size` bytes, to the nearest picosecond.
  constexpr SimTime time_for(Bytes size) const {
    const __int128 fs = static_cast<__int128>(size.count()) * fs_per_byte_;
    return SimTime::from_ps(static_cast<std::int64_t>((fs + 500) / 1000));
  }

 private:
  explicit constexpr ByteCost(std::int64_t fs_per_byte) : fs_per_byte_(fs_per_byte) {}
  std::int64_t fs_per_byte_ = 0;
};

}  // namespace morgana
