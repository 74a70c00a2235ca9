#include "benchmarks/kernels/ft/fourier.h"

#include <cmath>
#include <numbers>
#include <utility>

namespace morgana::kernels {

Fourier::Fourier(std::size_t length) : length_(length) {
  for (std::size_t k = 0; k < length / 2; ++k) {
    const double angle = -2.0 * std::numbers::pi * static_cast<double>(k) / static_cast<double>(length);
    roots_.emplace_back(std::cos(angle), std::sin(angle));
  }
}

// Stockham's self-sorting form: each pass halves the number of interleaved sequences and doubles their
// length.
void Fourier::transform(std::vector<Complex>& data, std::vector<Complex>& scratch, bool inverse) const {
  const std::size_t half = length_ / 2;
  for (std::size_t groups = half, done = 1; groups >= 1; groups /= 2, done *= 2) {
    for (std::size_t group = 0; group < groups; ++group) {
      // The root is the same for all of a group's elements.
      const Complex root = inverse ? std::conj(roots_[group * done]) : roots_[group * done];
      const double re = root.real(), im = root.imag();
      for (std::size_t i = 0; i < done; ++i) {
        const Complex* a = &data[(group * done + i) * lanes];
        const Complex* b = a + half * lanes;
        Complex* sum = &scratch[(2 * group * done + i) * lanes];
        Complex* difference = sum + done * lanes;
        for (std::size_t t = 0; t < lanes; ++t) {
          sum[t] = a[t] + b[t];
          const double dr = a[t].real() - b[t].real(), di = a[t].imag() - b[t].imag();
          difference[t] = Complex(dr * re - di * im, dr * im + di * re);
        }
      }
    }
    std::swap(data, scratch);
  }
}

}  // namespace morgana::kernels
