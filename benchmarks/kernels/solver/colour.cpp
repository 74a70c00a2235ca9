#include "benchmarks/kernels/solver/colour.h"

namespace morgana::kernels {
namespace {

/// G times the vector (a, b) of one colour.
std::array<Complex32, 2> apply(int mu, Complex32 a, Complex32 b) {
  switch (mu) {
    case 0:
      return {down(b), down(a)};
    case 1:
      return {Complex32{} - b, a};
    case 2:
      return {down(a), up(b)};
    default:
      return {a, b};
  }
}

std::array<Complex32, 2> apply_adjoint(int mu, Complex32 a, Complex32 b) {
  switch (mu) {
    case 0:
      return {up(b), up(a)};
    case 1:
      return {b, Complex32{} - a};
    case 2:
      return {up(a), down(b)};
    default:
      return {a, b};
  }
}

}  // namespace

HalfSpinor project(const Spinor& psi, int mu, int sign) {
  HalfSpinor h;
  for (std::size_t c = 0; c < 3; ++c) {
    const auto g = apply(mu, psi[2][c], psi[3][c]);
    for (std::size_t s = 0; s < 2; ++s) h[s][c] = sign > 0 ? psi[s][c] - g[s] : psi[s][c] + g[s];
  }
  return h;
}

void add_reconstructed(Spinor& psi, const HalfSpinor& h, int mu, int sign) {
  for (std::size_t c = 0; c < 3; ++c) {
    const auto g = apply_adjoint(mu, h[0][c], h[1][c]);
    for (std::size_t s = 0; s < 2; ++s) {
      psi[s][c] = psi[s][c] + h[s][c];
      psi[s + 2][c] = sign > 0 ? psi[s + 2][c] - g[s] : psi[s + 2][c] + g[s];
    }
  }
}

}  // namespace morgana::kernels
