#include "benchmarks/kernels/cg/cg.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "benchmarks/kernels/cg/sparse_matrix.h"
#include "benchmarks/kernels/common/collectives.h"
#include "benchmarks/kernels/common/text.h"

namespace morgana::kernels {
namespace {

using Vector = std::vector<double>;

struct Problem {
  int order, nonzeros, outer, inner, shift;
};

Problem problem_of(const Sizes& sizes) {
  return {sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]};
}

double dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

/// One worker's rows of the matrix and of every vector. The whole direction p is kept by every worker: the
/// residuals are gathered, each with its owner's part of |r|^2 behind it, and p is renewed everywhere.
class Solver {
 public:
  Solver(Team& team, const Problem& problem)
      : team_(team),
        problem_(problem),
        own_(share_of(team.rank(), team.size(), problem.order)),
        matrix_(rows_of_cg_matrix(own_, problem.order, problem.nonzeros, problem.shift)),
        starts_(starts_of_shares(team.size(), problem.order)),
        whole_(static_cast<std::size_t>(problem.order)) {
    // With each piece of the residual travels one number more.
    for (std::size_t i = 0; i < starts_.size(); ++i) starts_[i] += static_cast<int>(i);
    gathered_.resize(static_cast<std::size_t>(problem.order + team.size()));
  }

  std::size_t rows() const { return static_cast<std::size_t>(own_.size()); }

  double sum(double part) {
    sum_to_all(team_, std::span(&part, 1));
    return part;
  }

  /// z ~ A^-1 x. @return |x - A z|
  double solve(const Vector& x, Vector& z) {
    z.assign(rows(), 0.0);
    Vector r = x, p = x, q(rows());
    double rho = sum(dot(r, r));
    gather(r, 0.0);
    spread(0.0);
    for (int iteration = 0; iteration < problem_.inner; ++iteration) {
      matrix_.multiply(whole_, q);
      const double alpha = rho / sum(dot(p, q));
      for (std::size_t i = 0; i < rows(); ++i) {
        z[i] += alpha * p[i];
        r[i] -= alpha * q[i];
      }
      if (iteration + 1 == problem_.inner) break;  // nobody asks for another direction
      const double before = rho;
      rho = gather(r, dot(r, r));
      spread(rho / before);
      for (std::size_t i = 0; i < rows(); ++i) p[i] = r[i] + rho / before * p[i];
    }
    gather(z, 0.0);
    whole_.assign(whole_.size(), 0.0);
    spread(0.0);
    matrix_.multiply(whole_, q);
    double square = 0.0;
    for (std::size_t i = 0; i < rows(); ++i) square += (x[i] - q[i]) * (x[i] - q[i]);
    return std::sqrt(sum(square));
  }

 private:
  /// Gathers everybody's piece of a vector, and sums the numbers that travel along, in the workers' order.
  double gather(const Vector& piece, double part) {
    const auto begin = static_cast<std::size_t>(starts_[static_cast<std::size_t>(team_.rank())]);
    std::copy(piece.begin(), piece.end(), gathered_.begin() + static_cast<std::ptrdiff_t>(begin));
    gathered_[begin + piece.size()] = part;
    gather_to_all(team_, gathered_, starts_);
    double total = 0.0;
    for (std::size_t worker = 1; worker < starts_.size(); ++worker) {
      total += gathered_[static_cast<std::size_t>(starts_[worker]) - 1];
    }
    return total;
  }

  /// The whole direction becomes what was gathered, plus `beta` times itself.
  void spread(double beta) {
    std::size_t place = 0;
    for (std::size_t worker = 0; worker + 1 < starts_.size(); ++worker) {
      const auto end = static_cast<std::size_t>(starts_[worker + 1]) - 1;
      for (auto i = static_cast<std::size_t>(starts_[worker]); i < end; ++i, ++place) {
        whole_[place] = gathered_[i] + beta * whole_[place];
      }
    }
  }

  Team& team_;
  Problem problem_;
  Interval own_;
  SparseRows matrix_;
  std::vector<int> starts_;  ///< of the pieces in gathered_
  Vector gathered_, whole_;
};

struct Estimate {
  double zeta = 0.0, residual = 0.0;
};

Estimate iterate(Solver& solver, int shift, int steps) {
  Estimate estimate;
  Vector x(solver.rows(), 1.0), z;
  for (int step = 0; step < steps; ++step) {
    estimate.residual = solver.solve(x, z);
    const double xz = solver.sum(dot(x, z));
    const double length = std::sqrt(solver.sum(dot(z, z)));
    estimate.zeta = shift + 1.0 / xz;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = z[i] / length;
  }
  return estimate;
}

std::optional<double> published(const Sizes& sizes) {
  if (sizes == Sizes{1400, 7, 15, 25, 10}) return 8.5971775078648;
  if (sizes == Sizes{7000, 8, 15, 25, 12}) return 10.362595087124;
  if (sizes == Sizes{14000, 11, 15, 25, 20}) return 17.130235054029;
  return std::nullopt;
}

Outcome solve(Team& team, const Sizes& sizes) {
  const Problem problem = problem_of(sizes);
  Solver solver(team, problem);
  iterate(solver, problem.shift, 1);  // one step untimed first, as the benchmark has it
  const double start = team.seconds();
  const Estimate estimate = iterate(solver, problem.shift, problem.outer);

  Outcome outcome;
  outcome.seconds = team.seconds() - start;
  outcome.figures =
      text_of("  zeta           %.13f\n  residual       %.1e\n", estimate.zeta, estimate.residual);
  if (const auto zeta = published(sizes)) {
    const double error = std::abs(estimate.zeta - *zeta) / *zeta;
    outcome.passed = error <= 1e-10;
    outcome.figures +=
        text_of("  published      %.13f\n  relative error %.1e, at most 1e-10\n", *zeta, error);
  } else {
    outcome.passed = estimate.residual <= 1e-6;
    outcome.figures += "  the residual may be 1e-06 at most\n";
  }
  return outcome;
}

void check(const Sizes& sizes, int workers) {
  const Problem problem = problem_of(sizes);
  if (problem.nonzeros >= problem.order) {
    throw Refusal(text_of("--nonzeros %d must be less than --order %d", problem.nonzeros, problem.order));
  }
  if (workers > problem.order) {
    throw Refusal(text_of("%d tasks can't share %d rows; a task needs one at least", workers, problem.order));
  }
}

}  // namespace

const Kernel& cg() {
  static const Kernel kernel{
      "cg",
      "CG: an eigenvalue of a random sparse matrix by conjugate gradients (after the NAS Parallel "
      "Benchmarks)",
      "Workers own blocks of rows. Every iteration gathers a vector among all and sums one number.",
      {{"order", "rows of the matrix", 8, 1000000, {1400, 7000, 14000, 1400}},
       {"nonzeros", "entries of each generating vector", 1, 30, {7, 8, 11, 7}},
       {"outer", "steps of inverse iteration", 1, 10000, {15, 15, 15, 15}},
       {"inner", "conjugate gradient iterations a step", 1, 10000, {25, 25, 25, 25}},
       {"shift", "of the spectrum", 0, 1000, {10, 12, 20, 10}}},
      check,
      solve};
  return kernel;
}

}  // namespace morgana::kernels
