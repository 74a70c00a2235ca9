#include "benchmarks/kernels/pde2/pde2.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "benchmarks/kernels/common/collectives.h"
#include "benchmarks/kernels/common/text.h"
#include "benchmarks/kernels/pde2/grid.h"

namespace morgana::kernels {
namespace {

/// A polynomial of degree three at most in each variable, which the difference equations fulfil exactly; its
/// greatest value is 4.
double solution(double x, double y) {
  return (x * x * x + 1.0) * (y * y + y);
}
double minus_laplacian(double x, double y) {
  return -6.0 * x * (y * y + y) - 2.0 * (x * x * x + 1.0);
}

/// Intervals a side of the coarsest grid: every worker has one at least in each direction.
int coarsest(const WorkerGrid& workers) {
  int n = 8;
  while (n < workers.columns) n *= 2;
  return n;
}

class Multigrid {
 public:
  Multigrid(Team& team, int n) : team_(team), workers_(WorkerGrid::of(team.size())) {
    const int least = coarsest(workers_);
    const Interval x = share_of(workers_.column(team.rank()), workers_.columns, least);
    const Interval y = share_of(workers_.row(team.rank()), workers_.rows, least);
    for (int size = least; size <= n; size *= 2) {
      const int scale = size / least;
      const Interval own_x{x.begin * scale, x.end * scale}, own_y{y.begin * scale, y.end * scale};
      u_.emplace_back(workers_, team.rank(), size, own_x, own_y);
      f_.emplace_back(workers_, team.rank(), size, own_x, own_y);
    }
    set_problem(u_.back(), f_.back());
  }

  /// @param last  nobody will look at the neighbours' lines afterwards
  void cycle(bool last) { visit(u_.size() - 1, last); }

  /// The greatest error of own points relative to the solution's greatest value.
  double error() const {
    const Grid& u = u_.back();
    const double step = 1.0 / u.n();
    double greatest = 0.0;
    for (int y = u.y().begin; y <= u.y().end; ++y) {
      for (int x = u.x().begin; x <= u.x().end; ++x) {
        greatest = std::max(greatest, std::abs(u.at(x, y) - solution(x * step, y * step)));
      }
    }
    return greatest / 4.0;
  }

 private:
  /// Calls apply(x, y) for the points of the block that are not on the boundary.
  template <typename Apply>
  static void inside(const Grid& grid, Apply apply) {
    for (int y = std::max(grid.y().begin, 1); y <= std::min(grid.y().end, grid.n() - 1); ++y) {
      for (int x = std::max(grid.x().begin, 1); x <= std::min(grid.x().end, grid.n() - 1); ++x) apply(x, y);
    }
  }

  static void set_problem(Grid& u, Grid& f) {
    const double step = 1.0 / u.n();
    const auto on_boundary = [&](int i) { return i == 0 || i == u.n(); };
    for (int y = u.y().begin; y <= u.y().end; ++y) {
      for (int x = u.x().begin; x <= u.x().end; ++x) {
        if (on_boundary(x) || on_boundary(y)) u.at(x, y) = solution(x * step, y * step);
      }
    }
    // Also around the block, where points of the neighbours may lie on the boundary.
    for (int y = u.y().begin; y <= u.y().end; ++y) {
      if (!on_boundary(y)) continue;
      if (u.x().begin > 0) u.at(u.x().begin - 1, y) = solution((u.x().begin - 1) * step, y * step);
      if (u.x().end < u.n()) u.at(u.x().end + 1, y) = solution((u.x().end + 1) * step, y * step);
    }
    for (int x = u.x().begin; x <= u.x().end; ++x) {
      if (!on_boundary(x)) continue;
      if (u.y().begin > 0) u.at(x, u.y().begin - 1) = solution(x * step, (u.y().begin - 1) * step);
      if (u.y().end < u.n()) u.at(x, u.y().end + 1) = solution(x * step, (u.y().end + 1) * step);
    }
    inside(u, [&](int x, int y) { f.at(x, y) = minus_laplacian(x * step, y * step); });
  }

  /// A sweep over the points of even x + y, then over the others.
  void smooth(std::size_t level, double omega, bool last) {
    Grid& u = u_[level];
    Grid& f = f_[level];
    const double square = 1.0 / (static_cast<double>(u.n()) * u.n());
    for (int colour = 0; colour < 2; ++colour) {
      for (int y = std::max(u.y().begin, 1); y <= std::min(u.y().end, u.n() - 1); ++y) {
        double* const here = u.row(y);
        const double *const below = u.row(y - 1), *const above = u.row(y + 1), *const source = f.row(y);
        const int first = std::max(u.x().begin, 1), end = std::min(u.x().end, u.n() - 1);
        for (int x = first + (first + y + colour) % 2; x <= end; x += 2) {
          const double relaxed =
              0.25 * (here[x - 1] + here[x + 1] + below[x] + above[x] + square * source[x]);
          here[x] += omega * (relaxed - here[x]);
        }
      }
      if (!last || colour == 0) u.exchange(team_);
    }
  }

  void visit(std::size_t level, bool last) {
    if (level == 0) {
      const double omega = 2.0 / (1.0 + std::sin(std::numbers::pi / u_[0].n()));
      smooth(level, omega, false);
      smooth(level, omega, false);
      return;
    }
    smooth(level, 1.0, false);
    restrict_residual(level);
    u_[level - 1].clear();
    visit(level - 1, false);
    visit(level - 1, false);
    add_interpolated(level);
    smooth(level, 1.0, last);
  }

  /// After a sweep the residual of odd points is zero, so that the weighted mean around an even one is half
  /// of its own.
  void restrict_residual(std::size_t level) {
    const Grid& u = u_[level];
    const Grid& f = f_[level];
    const double scale = static_cast<double>(u.n()) * u.n();
    Grid& coarse = f_[level - 1];
    inside(coarse, [&](int x, int y) {
      const int i = 2 * x, j = 2 * y;
      const double sum = u.at(i - 1, j) + u.at(i + 1, j) + u.at(i, j - 1) + u.at(i, j + 1);
      coarse.at(x, y) = 0.5 * (f.at(i, j) - scale * (4.0 * u.at(i, j) - sum));
    });
  }

  /// Adds the coarse grid's correction to the block and to the lines around it, which needs no message.
  void add_interpolated(std::size_t level) {
    const Grid& coarse = u_[level - 1];
    Grid& u = u_[level];
    const auto correct = [&](int x, int y) {
      const int left = x / 2, right = (x + 1) / 2, low = y / 2, high = (y + 1) / 2;
      u.at(x, y) += 0.25 * ((coarse.at(left, low) + coarse.at(right, low)) +
                            (coarse.at(left, high) + coarse.at(right, high)));
    };
    inside(u, correct);
    const int first_x = std::max(u.x().begin, 1), last_x = std::min(u.x().end, u.n() - 1);
    const int first_y = std::max(u.y().begin, 1), last_y = std::min(u.y().end, u.n() - 1);
    for (int y = first_y; y <= last_y; ++y) {
      if (u.x().begin > 0) correct(u.x().begin - 1, y);
      if (u.x().end < u.n()) correct(u.x().end + 1, y);
    }
    for (int x = first_x; x <= last_x; ++x) {
      if (u.y().begin > 0) correct(x, u.y().begin - 1);
      if (u.y().end < u.n()) correct(x, u.y().end + 1);
    }
  }

  Team& team_;
  WorkerGrid workers_;
  std::vector<Grid> u_, f_;  ///< from the coarsest to the finest
};

Outcome solve(Team& team, const Sizes& sizes) {
  const int n = sizes[0], cycles = sizes[1];
  Multigrid multigrid(team, n);
  const double start = team.seconds();
  for (int cycle = 0; cycle < cycles; ++cycle) multigrid.cycle(cycle + 1 == cycles);
  const double seconds = team.seconds() - start;

  double error = multigrid.error();
  greatest_to_first(team, error);
  const double limit = std::max(1e-10, std::pow(0.15, cycles));
  Outcome outcome;
  outcome.seconds = seconds;
  outcome.passed = error <= limit;
  outcome.figures =
      text_of("  greatest relative error to the known solution %.1e, at most %.1e\n", error, limit);
  return outcome;
}

void check(const Sizes& sizes, int workers) {
  require_power_of_two("size", sizes[0]);
  const WorkerGrid grid = WorkerGrid::of(workers);
  if (coarsest(grid) > sizes[0]) {
    throw Refusal(text_of("%d tasks form a rectangle of %d x %d, which can't share %d intervals a side",
                          workers, grid.rows, grid.columns, sizes[0]));
  }
}

}  // namespace

const Kernel& pde2() {
  static const Kernel kernel{
      "pde2",
      "PDE2: Poisson's equation in a square by multigrid (after the GENESIS benchmarks)",
      "A rectangle of workers shares every grid; neighbours exchange boundary lines after each half sweep.",
      {{"size", "intervals a side, a power of two", 8, 16384, {128, 1024, 2048, 512}},
       {"cycles", "W-cycles", 1, 1000, {10, 10, 10, 2}}},
      check,
      solve};
  return kernel;
}

}  // namespace morgana::kernels
