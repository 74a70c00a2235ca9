#pragma once

#include <array>
#include <cstddef>

namespace morgana::kernels {

/// A complex number of single precision. (std::complex multiplies with care for infinities, which takes
/// time.)
struct Complex32 {
  float re = 0.0F, im = 0.0F;
};

inline Complex32 operator+(Complex32 a, Complex32 b) {
  return {a.re + b.re, a.im + b.im};
}
inline Complex32 operator-(Complex32 a, Complex32 b) {
  return {a.re - b.re, a.im - b.im};
}
inline Complex32 operator*(Complex32 a, Complex32 b) {
  return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
inline Complex32 conj(Complex32 a) {
  return {a.re, -a.im};
}
/// i times a, and -i times a.
inline Complex32 up(Complex32 a) {
  return {-a.im, a.re};
}
inline Complex32 down(Complex32 a) {
  return {a.im, -a.re};
}

using ColourVector = std::array<Complex32, 3>;
using Spinor = std::array<ColourVector, 4>;
using HalfSpinor = std::array<ColourVector, 2>;
using Link = std::array<ColourVector, 3>;  ///< an SU(3) matrix by rows

inline ColourVector times(const Link& link, const ColourVector& v) {
  ColourVector result;
  for (std::size_t i = 0; i < 3; ++i) result[i] = link[i][0] * v[0] + link[i][1] * v[1] + link[i][2] * v[2];
  return result;
}
inline ColourVector adjoint_times(const Link& link, const ColourVector& v) {
  ColourVector result;
  for (std::size_t i = 0; i < 3; ++i) {
    result[i] = conj(link[0][i]) * v[0] + conj(link[1][i]) * v[1] + conj(link[2][i]) * v[2];
  }
  return result;
}
inline HalfSpinor times(const Link& link, const HalfSpinor& h) {
  return {times(link, h[0]), times(link, h[1])};
}
inline HalfSpinor adjoint_times(const Link& link, const HalfSpinor& h) {
  return {adjoint_times(link, h[0]), adjoint_times(link, h[1])};
}

// In the chiral basis gamma(mu) = (0 G; G^+ 0) with G = -i sigma(x), -i sigma(y), -i sigma(z), 1. The lower
// half of (1 -+ gamma) psi follows from the upper one, h = upper -+ G lower: it is -+ G^+ h. So h is all that
// travels.

/// The upper half of (1 - sign gamma(mu)) psi.
HalfSpinor project(const Spinor& psi, int mu, int sign);

/// psi += (h, -sign G^+ h).
void add_reconstructed(Spinor& psi, const HalfSpinor& h, int mu, int sign);

}  // namespace morgana::kernels
