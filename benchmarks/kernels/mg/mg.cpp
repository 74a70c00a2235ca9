#include "benchmarks/kernels/mg/mg.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <optional>
#include <queue>

#include "benchmarks/kernels/common/collectives.h"
#include "benchmarks/kernels/common/nas_random.h"
#include "benchmarks/kernels/common/text.h"
#include "benchmarks/kernels/mg/level.h"

namespace morgana::kernels {
namespace {

constexpr std::size_t charges = 10;  ///< of either sign
/// The smoother of classes S, W and A.
constexpr Weights smoother{-3.0 / 8.0, 1.0 / 32.0, -1.0 / 64.0, 0.0};

/// +1 where the ten greatest of n^3 random numbers stand, -1 at the ten least. Every worker goes through all
/// numbers, which costs less than telling each other.
void place_charges(Field& v) {
  using Candidate = std::pair<double, std::uint64_t>;
  std::priority_queue<Candidate> least;
  std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> greatest;
  NasRandom random(314159265);
  const auto n = static_cast<std::uint64_t>(v.n());
  for (std::uint64_t i = 0; i < n * n * n; ++i) {
    const double value = random.next();
    if (least.size() < charges || value < least.top().first) {
      least.emplace(value, i);
      if (least.size() > charges) least.pop();
    }
    if (greatest.size() < charges || value > greatest.top().first) {
      greatest.emplace(value, i);
      if (greatest.size() > charges) greatest.pop();
    }
  }
  v.clear();
  const auto place = [&](std::uint64_t i, double charge) {
    const auto z = static_cast<int>(i / (n * n));
    if (!v.planes().holds(z)) return;
    const std::size_t y = i / n % n + 1, x = i % n + 1;
    v.plane(static_cast<std::size_t>(z - v.planes().begin) + 1)[y * v.row_size() + x] = charge;
  };
  for (; !least.empty(); least.pop()) place(least.top().second, -1.0);
  for (; !greatest.empty(); greatest.pop()) place(greatest.top().second, 1.0);
}

/// The root of the mean square over all points, at the first worker.
double norm(Team& team, const Field& r) {
  double sum = 0.0;
  const auto n = static_cast<std::size_t>(r.n());
  for (std::size_t slot = 1; slot <= r.own_planes(); ++slot) {
    for (std::size_t y = 1; y <= n; ++y) {
      const double* const line = r.plane(slot) + y * r.row_size();
      for (std::size_t x = 1; x <= n; ++x) sum += line[x] * line[x];
    }
  }
  sum_to_first(team, std::span(&sum, 1));
  return std::sqrt(sum / std::pow(r.n(), 3));
}

/// Solution and residual on all levels, from the coarsest (2^3 points) to the finest.
class Multigrid {
 public:
  Multigrid(Team& team, int n) : team_(team) {
    for (int size = 2; size <= n; size *= 2) {
      const Interval planes = share_of(team.rank(), team.size(), size);
      u_.emplace_back(size, planes);
      r_.emplace_back(size, planes);
    }
  }

  void start(const Field& v) { residual(team_, u_.back(), v, r_.back()); }

  void cycle(const Field& v) {
    for (std::size_t level = u_.size() - 1; level > 0; --level) restrict_to(team_, r_[level], r_[level - 1]);
    u_[0].clear();
    smooth(team_, smoother, r_[0], u_[0]);
    for (std::size_t level = 1; level < u_.size(); ++level) {
      const bool finest = level + 1 == u_.size();
      if (!finest) u_[level].clear();
      add_interpolated(team_, u_[level - 1], u_[level]);
      if (finest) {
        residual(team_, u_[level], v, r_[level]);
      } else {
        // The right-hand side of a coarser level is the residual that came down; it is replaced point by
        // point.
        residual(team_, u_[level], r_[level], r_[level]);
      }
      smooth(team_, smoother, r_[level], u_[level]);
    }
    residual(team_, u_.back(), v, r_.back());
  }

  const Field& finest_residual() const { return r_.back(); }

 private:
  Team& team_;
  std::vector<Field> u_, r_;
};

std::optional<double> published(const Sizes& sizes) {
  if (sizes == Sizes{32, 4}) return 0.5307707005734e-04;
  if (sizes == Sizes{128, 4}) return 0.6467329375339e-05;
  if (sizes == Sizes{256, 4}) return 0.2433365309069e-05;
  return std::nullopt;
}

Outcome solve(Team& team, const Sizes& sizes) {
  const int n = sizes[0], cycles = sizes[1];
  Field v(n, share_of(team.rank(), team.size(), n));
  Multigrid multigrid(team, n);
  place_charges(v);
  v.exchange(team);

  const double start = team.seconds();
  multigrid.start(v);
  for (int cycle = 0; cycle < cycles; ++cycle) multigrid.cycle(v);
  const double reached = norm(team, multigrid.finest_residual());

  Outcome outcome;
  outcome.seconds = team.seconds() - start;
  outcome.figures = text_of("  residual       %.13e\n", reached);
  if (const auto expected = published(sizes)) {
    const double error = std::abs(reached - *expected) / *expected;
    outcome.passed = error <= 1e-8;
    outcome.figures +=
        text_of("  published      %.13e\n  relative error %.1e, at most 1e-08\n", *expected, error);
  } else {
    // The charges' own norm, reduced by a factor of two at least in each cycle.
    const double limit = std::sqrt(2.0 * charges / std::pow(n, 3)) * std::pow(0.5, cycles) + 1e-15;
    outcome.passed = reached <= limit;
    outcome.figures += text_of("  allowed        %.13e\n", limit);
  }
  return outcome;
}

void check(const Sizes& sizes, int) {
  require_power_of_two("size", sizes[0]);
}

}  // namespace

const Kernel& mg() {
  static const Kernel kernel{
      "mg",
      "MG: multigrid for Poisson's equation in a periodic cube (after the NAS Parallel Benchmarks)",
      "Workers own slabs of planes on every level and exchange boundary planes after every operation.",
      {{"size", "points a side, a power of two", 4, 1024, {32, 128, 256, 128}},
       {"cycles", "V-cycles", 1, 1000, {4, 4, 4, 4}}},
      check,
      solve};
  return kernel;
}

}  // namespace morgana::kernels
