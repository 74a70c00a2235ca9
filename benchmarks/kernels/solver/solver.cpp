#include "benchmarks/kernels/solver/solver.h"

#include <cmath>
#include <complex>

#include "benchmarks/kernels/common/collectives.h"
#include "benchmarks/kernels/common/text.h"
#include "benchmarks/kernels/solver/wilson.h"

namespace morgana::kernels {
namespace {

using Scalar = std::complex<double>;

constexpr float kappa = 0.15F;
constexpr double allowed_residual = 1e-5;

/// Calls apply(number a, number b) for all complex numbers of two fields.
template <typename A, typename B, typename Apply>
void each(A& a, B& b, Apply apply) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    for (std::size_t s = 0; s < 4; ++s) {
      for (std::size_t c = 0; c < 3; ++c) apply(a[i][s][c], b[i][s][c]);
    }
  }
}

/// y += a x
void add(SpinorField& y, Scalar a, const SpinorField& x) {
  const Complex32 factor{static_cast<float>(a.real()), static_cast<float>(a.imag())};
  each(y, x, [&](Complex32& to, const Complex32& from) { to = to + factor * from; });
}

/// Own part of the sum of conj(a) b.
Scalar part_of_product(const SpinorField& a, const SpinorField& b) {
  double re = 0.0, im = 0.0;
  each(a, b, [&](const Complex32& x, const Complex32& y) {
    re += static_cast<double>(x.re) * y.re + static_cast<double>(x.im) * y.im;
    im += static_cast<double>(x.re) * y.im - static_cast<double>(x.im) * y.re;
  });
  return {re, im};
}

Scalar product(Team& team, const SpinorField& a, const SpinorField& b) {
  const Scalar own = part_of_product(a, b);
  double parts[2] = {own.real(), own.imag()};
  sum_to_all(team, parts);
  return {parts[0], parts[1]};
}

double square(Team& team, const SpinorField& a) {
  double sum = part_of_product(a, a).real();
  sum_to_all(team, std::span(&sum, 1));
  return sum;
}

/// 0 where nothing is left to divide by: the iteration has ended before its time.
Scalar quotient(Scalar a, Scalar b) {
  return std::abs(b) > 0.0 ? a / b : Scalar();
}

class PropagatorColumn {
 public:
  PropagatorColumn(Team& team, Site extents)
      : team_(team),
        lattice_(team, extents),
        wilson_(team, lattice_),
        source_(lattice_.sites(0).size()),
        even_(source_.size()),
        odd_(lattice_.sites(1).size()) {
    if (lattice_.owns({0, 0, 0, 0})) source_[0][0][0] = {1.0F, 0.0F};
  }

  /// Even sites alone: (1 - kappa^2 D D) psi = source, which lies on an even site; then the odd ones follow.
  void solve(int iterations) {
    SpinorField r = source_, p = source_, v(r.size()), t(r.size());
    const SpinorField shadow = source_;
    Scalar rho = product(team_, shadow, r);
    for (int iteration = 0; iteration < iterations; ++iteration) {
      apply(p, v);
      const Scalar alpha = quotient(rho, product(team_, shadow, v));
      add(r, -alpha, v);
      apply(r, t);
      const Scalar tr = product(team_, t, r);
      const Scalar omega = quotient(tr, square(team_, t));
      add(even_, alpha, p);
      add(even_, omega, r);
      add(r, -omega, t);
      if (iteration + 1 == iterations) break;
      const Scalar before = rho;
      rho = product(team_, shadow, r);
      const Scalar beta = quotient(rho, before) * quotient(alpha, omega);
      add(p, -omega, v);
      renew(p, beta, r);
    }
    wilson_.hop(1, even_, odd_);
    each(odd_, odd_, [](Complex32& value, const Complex32&) {
      value = {kappa * value.re, kappa * value.im};
    });
  }

  /// |source - (1 - kappa D) psi| / |source| over all sites, at the first worker. The odd sites' equations
  /// hold by the way in which their values were found.
  double residual() {
    SpinorField hopped(even_.size());
    wilson_.hop(0, odd_, hopped);
    SpinorField rest = source_;
    add(rest, -1.0, even_);
    add(rest, kappa, hopped);
    double sum = part_of_product(rest, rest).real();
    sum_to_first(team_, std::span(&sum, 1));
    return std::sqrt(sum);
  }

 private:
  /// result = (1 - kappa^2 D D) psi
  void apply(const SpinorField& psi, SpinorField& result) {
    wilson_.hop(1, psi, odd_);
    wilson_.hop(0, odd_, result);
    each(result, psi, [](Complex32& value, const Complex32& own) {
      value = {own.re - kappa * kappa * value.re, own.im - kappa * kappa * value.im};
    });
  }

  /// p = r + beta p
  static void renew(SpinorField& p, Scalar beta, const SpinorField& r) {
    const Complex32 factor{static_cast<float>(beta.real()), static_cast<float>(beta.imag())};
    each(p, r, [&](Complex32& to, const Complex32& from) { to = from + factor * to; });
  }

  Team& team_;
  Lattice lattice_;
  Wilson wilson_;
  SpinorField source_, even_, odd_;
};

Outcome solve(Team& team, const Sizes& sizes) {
  PropagatorColumn column(team, {sizes[0], sizes[1], sizes[2], sizes[3]});
  const double start = team.seconds();
  column.solve(sizes[4]);
  const double seconds = team.seconds() - start;

  const double residual = column.residual();
  Outcome outcome;
  outcome.seconds = seconds;
  outcome.passed = residual <= allowed_residual;
  outcome.figures = text_of("  relative residual %.2e, at most %.0e\n", residual, allowed_residual);
  return outcome;
}

void check(const Sizes& sizes, int workers) {
  const char* const names[] = {"x", "y", "z", "t"};
  for (std::size_t mu = 0; mu < 4; ++mu) {
    if (sizes[mu] % 2 != 0) throw Refusal(text_of("--%s must be even, not %d", names[mu], sizes[mu]));
  }
  const WorkerGrid grid = WorkerGrid::of(workers);
  if (grid.rows > sizes[2] || grid.columns > sizes[3]) {
    throw Refusal(
        text_of("%d tasks form a rectangle of %d x %d, which can't share %d layers in z and %d in t", workers,
                grid.rows, grid.columns, sizes[2], sizes[3]));
  }
}

}  // namespace

const Kernel& solver() {
  static const Kernel kernel{
      "solver",
      "SOLVER: a quark propagator on a four-dimensional lattice (after the GENESIS benchmarks)",
      "z and t are dealt to a rectangle of workers; neighbours exchange projected spinors on the faces.",
      {{"x", "sites in x, even", 2, 128, {4, 12, 16, 8}},
       {"y", "sites in y, even", 2, 128, {4, 12, 16, 8}},
       {"z", "sites in z, even", 2, 128, {8, 12, 16, 8}},
       {"t", "sites in t, even", 2, 128, {8, 24, 32, 20}},
       {"iterations", "of the solver", 1, 100000, {50, 50, 50, 50}}},
      check,
      solve};
  return kernel;
}

}  // namespace morgana::kernels
