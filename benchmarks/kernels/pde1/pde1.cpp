#include "benchmarks/kernels/pde1/pde1.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "benchmarks/kernels/common/collectives.h"
#include "benchmarks/kernels/common/split.h"
#include "benchmarks/kernels/common/text.h"

namespace morgana::kernels {
namespace {

/// A polynomial of degree three at most in each variable: second differences give its second derivatives
/// exactly, so the difference equations have it as their solution.
double solution(double x, double y, double z) {
  return (x * x * x - 2.0 * x * x) * (y * y + y) * (z * z * z + 1.0);
}
double laplacian(double x, double y, double z) {
  const double px = x * x * x - 2.0 * x * x, py = y * y + y, pz = z * z * z + 1.0;
  return (6.0 * x - 4.0) * py * pz + px * 2.0 * pz + px * py * 6.0 * z;
}

/// One worker's block of points, x fastest, with one layer more on every side. Points count from 0 (boundary)
/// over 1 to n to n + 1 (boundary).
class Block {
 public:
  Block(Team& team, int n)
      : team_(team),
        grid_(WorkerGrid::of(team.size())),
        n_(n),
        step_(1.0 / (n + 1)),
        y_(share_of(grid_.column(team.rank()), grid_.columns, n)),
        z_(share_of(grid_.row(team.rank()), grid_.rows, n)),
        row_(static_cast<std::size_t>(n) + 2),
        plane_(row_ * static_cast<std::size_t>(y_.size() + 2)),
        u_(plane_ * static_cast<std::size_t>(z_.size() + 2)),
        source_(u_.size()) {
    for (int z = z_.begin; z < z_.end + 2; ++z) {
      for (int y = y_.begin; y < y_.end + 2; ++y) {
        for (int x = 0; x < n + 2; ++x) {
          const double px = x * step_, py = y * step_, pz = z * step_;
          if (on_boundary(x) || on_boundary(y) || on_boundary(z)) u_[at(x, y, z)] = solution(px, py, pz);
          source_[at(x, y, z)] = step_ * step_ * laplacian(px, py, pz);
        }
      }
    }
    meet_neighbours();
  }

  /// Relaxes the points of one colour: those with (x + y + z) % 2 == colour.
  void relax(int colour, double omega) {
    for (int z = z_.begin + 1; z <= z_.end; ++z) {
      for (int y = y_.begin + 1; y <= y_.end; ++y) {
        const std::size_t begin = at(0, y, z);
        for (auto x = static_cast<std::size_t>(1 + (1 + y + z + colour) % 2); x <= row_ - 2; x += 2) {
          const std::size_t i = begin + x;
          const double neighbours =
              u_[i - 1] + u_[i + 1] + u_[i - row_] + u_[i + row_] + u_[i - plane_] + u_[i + plane_];
          u_[i] += omega * ((neighbours - source_[i]) / 6.0 - u_[i]);
        }
      }
    }
  }

  /// Neighbours get the points of one colour on the common faces.
  void exchange(int colour) {
    const auto c = static_cast<std::size_t>(colour);
    for (Neighbour& neighbour : neighbours_) {
      neighbour.outgoing.clear();
      for (const std::size_t place : neighbour.own[c]) neighbour.outgoing.push_back(u_[place]);
      team_.send(neighbour.worker, neighbour.tag, neighbour.outgoing);
    }
    for (const Neighbour& neighbour : neighbours_) {
      incoming_.resize(neighbour.theirs[c].size());
      team_.receive(neighbour.worker, tag_down + tag_up - neighbour.tag, incoming_);
      for (std::size_t i = 0; i < incoming_.size(); ++i) u_[neighbour.theirs[c][i]] = incoming_[i];
    }
    team_.finish();
  }

  /// The greatest error of this worker's points, relative to the solution's greatest value, 4.
  double error() const {
    double greatest = 0.0;
    for (int z = z_.begin + 1; z <= z_.end; ++z) {
      for (int y = y_.begin + 1; y <= y_.end; ++y) {
        for (int x = 1; x <= n_; ++x) {
          const double expected = solution(x * step_, y * step_, z * step_);
          greatest = std::max(greatest, std::abs(u_[at(x, y, z)] - expected));
        }
      }
    }
    return greatest / 4.0;
  }

 private:
  enum Tag { tag_down = 60, tag_up };
  using Places = std::vector<std::size_t>;

  bool on_boundary(int i) const { return i == 0 || i == n_ + 1; }
  std::size_t at(int x, int y, int z) const {
    return static_cast<std::size_t>(x) + row_ * static_cast<std::size_t>(y - y_.begin) +
           plane_ * static_cast<std::size_t>(z - z_.begin);
  }
  void add_row(Places& places, int y, int z, int colour) const {
    for (int x = 1 + (1 + y + z + colour) % 2; x <= n_; x += 2) places.push_back(at(x, y, z));
  }
  Places y_face(int y, int colour) const {
    Places places;
    for (int z = z_.begin + 1; z <= z_.end; ++z) add_row(places, y, z, colour);
    return places;
  }
  Places z_face(int z, int colour) const {
    Places places;
    for (int y = y_.begin + 1; y <= y_.end; ++y) add_row(places, y, z, colour);
    return places;
  }
  /// What is exchanged with a neighbour, by colour.
  struct Neighbour {
    int worker, tag;  ///< the tag says in which direction it lies
    std::array<Places, 2> own, theirs;
    std::vector<double> outgoing;
  };
  void meet_neighbours() {
    const int column = grid_.column(team_.rank()), row = grid_.row(team_.rank());
    const auto meet = [&](int worker, int tag, auto face, int own, int theirs) {
      neighbours_.push_back(
          {worker, tag, {face(own, 0), face(own, 1)}, {face(theirs, 0), face(theirs, 1)}, {}});
    };
    const auto in_y = [&](int y, int colour) { return y_face(y, colour); };
    const auto in_z = [&](int z, int colour) { return z_face(z, colour); };
    if (column > 0) meet(grid_.worker(row, column - 1), tag_down, in_y, y_.begin + 1, y_.begin);
    if (column + 1 < grid_.columns) meet(grid_.worker(row, column + 1), tag_up, in_y, y_.end, y_.end + 1);
    if (row > 0) meet(grid_.worker(row - 1, column), tag_down, in_z, z_.begin + 1, z_.begin);
    if (row + 1 < grid_.rows) meet(grid_.worker(row + 1, column), tag_up, in_z, z_.end, z_.end + 1);
  }

  Team& team_;
  WorkerGrid grid_;
  int n_;
  double step_;
  Interval y_, z_;  ///< own points are begin + 1 to end
  std::size_t row_, plane_;
  std::vector<double> u_, source_;
  std::vector<Neighbour> neighbours_;
  std::vector<double> incoming_;
};

Outcome solve(Team& team, const Sizes& sizes) {
  const int n = sizes[0], iterations = sizes[1];
  Block block(team, n);
  const double jacobi = std::cos(std::numbers::pi / (n + 1));  // the spectral radius of Jacobi's iteration

  const double start = team.seconds();
  double omega = 1.0;
  for (int half = 0; half < 2 * iterations; ++half) {
    block.relax(half % 2, omega);
    block.exchange(half % 2);
    omega = 1.0 / (1.0 - (half == 0 ? 0.5 : 0.25 * omega) * jacobi * jacobi);
  }
  const double seconds = team.seconds() - start;

  double error = block.error();
  greatest_to_first(team, error);
  Outcome outcome;
  outcome.seconds = seconds;
  outcome.passed = error <= 1e-10;
  outcome.figures = text_of("  greatest relative error to the known solution %.1e, at most 1e-10\n", error);
  return outcome;
}

void check(const Sizes& sizes, int workers) {
  const WorkerGrid grid = WorkerGrid::of(workers);
  if (grid.columns > sizes[0]) {
    throw Refusal(text_of("%d tasks form a rectangle of %d x %d, which can't share %d points a side", workers,
                          grid.rows, grid.columns, sizes[0]));
  }
}

}  // namespace

const Kernel& pde1() {
  static const Kernel kernel{
      "pde1",
      "PDE1: Poisson's equation in a cube by red-black over-relaxation (after the GENESIS benchmarks)",
      "The cube is dealt to a rectangle of workers; neighbours exchange faces of one colour after each half "
      "sweep.",
      {{"size", "inner points a side", 2, 1000, {32, 96, 160, 64}},
       {"iterations", "of two half sweeps each", 1, 1000000, {190, 530, 880, 350}}},
      check,
      solve};
  return kernel;
}

}  // namespace morgana::kernels
