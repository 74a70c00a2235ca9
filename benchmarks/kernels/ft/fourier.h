#pragma once

#include <complex>
#include <vector>

namespace morgana::kernels {

using Complex = std::complex<double>;

/// Discrete Fourier transforms of one length, several at a time, not scaled.
class Fourier {
 public:
  /// How many transforms are done side by side.
  static constexpr std::size_t lanes = 8;

  /// @param length  a power of two
  explicit Fourier(std::size_t length);

  std::size_t length() const { return length_; }

  /// Element k of transform t lies at data[k * lanes + t], before and after.
  /// @param data  length() * lanes numbers, and as many for scratch
  /// @param inverse  exp(+2 pi i ...) in place of exp(-2 pi i ...)
  void transform(std::vector<Complex>& data, std::vector<Complex>& scratch, bool inverse) const;

 private:
  std::size_t length_;
  std::vector<Complex> roots_;  ///< exp(-2 pi i k / length), k < length / 2
};

}  // namespace morgana::kernels
