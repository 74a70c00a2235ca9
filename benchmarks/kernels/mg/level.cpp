#include "benchmarks/kernels/mg/level.h"

#include <algorithm>
#include <span>

namespace morgana::kernels {
namespace {

enum Tag { tag_below = 20, tag_above };

/// The worker that owns a plane of a level.
int owner_of(int plane, int n, int workers) {
  int worker = static_cast<int>(static_cast<long>(plane) * workers / n);
  while (share_of(worker, workers, n).end <= plane) ++worker;
  return worker;
}

/// Three planes on top of each other, to which an operator of 27 points is applied.
struct Planes {
  const double *below, *here, *above;
  std::size_t row;

  Planes(const Field& field, std::size_t slot)
      : below(field.plane(slot - 1)),
        here(field.plane(slot)),
        above(field.plane(slot + 1)),
        row(field.row_size()) {}

  /// At point i of a plane: the sums of the points at distance one within the same x, and diagonally.
  double cross(std::size_t i) const { return here[i - row] + here[i + row] + below[i] + above[i]; }
  double diagonal(std::size_t i) const {
    return below[i - row] + below[i + row] + above[i - row] + above[i + row];
  }
};

/// Calls apply(i, faces, edges, corners) for every point of a row that begins at `begin`.
template <typename Apply>
void along_row(const Planes& planes, std::size_t begin, std::size_t n, std::vector<double>& crosses,
               std::vector<double>& diagonals, Apply apply) {
  for (std::size_t x = 0; x < n + 2; ++x) {
    crosses[x] = planes.cross(begin + x);
    diagonals[x] = planes.diagonal(begin + x);
  }
  for (std::size_t x = 1; x <= n; ++x) {
    const double* const centre = planes.here + begin + x;
    apply(begin + x, centre[-1] + centre[1] + crosses[x], crosses[x - 1] + crosses[x + 1] + diagonals[x],
          diagonals[x - 1] + diagonals[x + 1]);
  }
}

}  // namespace

void Field::wrap_rims() {
  const std::size_t row = row_size(), n = static_cast<std::size_t>(n_);
  for (std::size_t slot = 1; slot <= own_planes(); ++slot) {
    double* const p = plane(slot);
    for (std::size_t y = 1; y <= n; ++y) {
      p[y * row] = p[y * row + n];
      p[y * row + n + 1] = p[y * row + 1];
    }
    std::copy_n(p + n * row, row, p);
    std::copy_n(p + row, row, p + (n + 1) * row);
  }
}

void Field::exchange(Team& team) {
  wrap_rims();
  const int workers = team.size(), me = team.rank();
  const auto wrapped = [&](int z) { return (z + n_) % n_; };
  const auto own = [&](int z) {
    return std::span<double>(plane(static_cast<std::size_t>(z - planes_.begin) + 1), plane_size());
  };
  for (int other = 0; other < workers; ++other) {
    if (other == me) continue;
    const Interval theirs = share_of(other, workers, n_);
    const int below = wrapped(theirs.begin - 1), above = wrapped(theirs.end);
    if (planes_.holds(below)) team.send(other, tag_below, own(below));
    if (planes_.holds(above)) team.send(other, tag_above, own(above));
  }
  const auto fetch = [&](int z, int tag, double* place) {
    const int owner = owner_of(z, n_, workers);
    if (owner == me) {
      std::copy_n(own(z).data(), plane_size(), place);
    } else {
      team.receive(owner, tag, std::span(place, plane_size()));
    }
  };
  fetch(wrapped(planes_.begin - 1), tag_below, plane(0));
  fetch(wrapped(planes_.end), tag_above, plane(own_planes() + 1));
  team.finish();
}

void residual(Team& team, const Field& u, const Field& v, Field& r) {
  constexpr double centre = -8.0 / 3.0, edge = 1.0 / 6.0, corner = 1.0 / 12.0;
  const auto n = static_cast<std::size_t>(u.n());
  std::vector<double> crosses(n + 2), diagonals(n + 2);
  for (std::size_t slot = 1; slot <= u.own_planes(); ++slot) {
    const Planes planes(u, slot);
    const double* const wanted = v.plane(slot);
    double* const result = r.plane(slot);
    for (std::size_t y = 1; y <= n; ++y) {
      along_row(planes, y * planes.row, n, crosses, diagonals,
                [&](std::size_t i, double, double edges, double corners) {
                  result[i] = wanted[i] - centre * planes.here[i] - edge * edges - corner * corners;
                });
    }
  }
  r.exchange(team);
}

void smooth(Team& team, const Weights& weights, const Field& r, Field& u) {
  const auto n = static_cast<std::size_t>(u.n());
  std::vector<double> crosses(n + 2), diagonals(n + 2);
  for (std::size_t slot = 1; slot <= u.own_planes(); ++slot) {
    const Planes planes(r, slot);
    double* const result = u.plane(slot);
    for (std::size_t y = 1; y <= n; ++y) {
      along_row(planes, y * planes.row, n, crosses, diagonals,
                [&](std::size_t i, double faces, double edges, double corners) {
                  result[i] += weights[0] * planes.here[i] + weights[1] * faces + weights[2] * edges +
                               weights[3] * corners;
                });
    }
  }
  u.exchange(team);
}

// Coarse point c (from 0) lies on fine point 2 c + 1, in every direction.
void restrict_to(Team& team, const Field& fine, Field& coarse) {
  const auto n = static_cast<std::size_t>(coarse.n());
  std::vector<double> crosses(2 * n + 2), diagonals(2 * n + 2);
  for (std::size_t slot = 1; slot <= coarse.own_planes(); ++slot) {
    const int z = coarse.planes().begin + static_cast<int>(slot) - 1;
    const Planes planes(fine, static_cast<std::size_t>(2 * z + 1 - fine.planes().begin) + 1);
    double* const result = coarse.plane(slot);
    for (std::size_t y = 1; y <= n; ++y) {
      along_row(planes, 2 * y * planes.row, 2 * n, crosses, diagonals,
                [&](std::size_t i, double faces, double edges, double corners) {
                  const std::size_t x = i - 2 * y * planes.row;
                  if (x % 2 != 0) return;
                  result[y * coarse.row_size() + x / 2] =
                      0.5 * planes.here[i] + 0.25 * faces + 0.125 * edges + 0.0625 * corners;
                });
    }
  }
  coarse.exchange(team);
}

void add_interpolated(Team& team, const Field& coarse, Field& fine) {
  const auto n = static_cast<std::size_t>(fine.n());
  const std::size_t row = coarse.row_size();
  std::vector<double> line(row);
  for (std::size_t slot = 1; slot <= fine.own_planes(); ++slot) {
    // With fine points counted from 1: an even one lies on coarse point i / 2, an odd one between two.
    const std::size_t z = static_cast<std::size_t>(fine.planes().begin) + slot;
    const auto coarse_slot = [&](std::size_t c) {
      return c - static_cast<std::size_t>(coarse.planes().begin);
    };
    const double* const low = coarse.plane(coarse_slot(z / 2));
    const double* const high = coarse.plane(coarse_slot((z + 1) / 2));
    for (std::size_t y = 1; y <= n; ++y) {
      const std::size_t near = y / 2 * row, far = (y + 1) / 2 * row;
      for (std::size_t x = 0; x < row; ++x) {
        line[x] = 0.25 * (low[near + x] + low[far + x] + high[near + x] + high[far + x]);
      }
      double* const result = fine.plane(slot) + y * fine.row_size();
      for (std::size_t x = 1; x <= n; ++x) result[x] += 0.5 * (line[x / 2] + line[(x + 1) / 2]);
    }
  }
  fine.exchange(team);
}

}  // namespace morgana::kernels
