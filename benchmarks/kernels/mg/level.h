#pragma once

#include <array>
#include <vector>

#include "benchmarks/kernels/common/split.h"
#include "benchmarks/kernels/common/team.h"

namespace morgana::kernels {

/// One worker's planes of a periodic cube of n^3 points: its own, and one more on either side. Every plane
/// has a rim of one point, so that it holds (n + 2)^2 numbers; interior points count from 1 to n.
class Field {
 public:
  Field(int n, Interval planes) : n_(n), planes_(planes), values_(plane_size() * (own_planes() + 2)) {}

  int n() const { return n_; }
  Interval planes() const { return planes_; }
  std::size_t own_planes() const { return static_cast<std::size_t>(planes_.size()); }
  std::size_t row_size() const { return static_cast<std::size_t>(n_) + 2; }
  std::size_t plane_size() const { return row_size() * row_size(); }

  /// The plane `slot` of this worker: 0 below its own, 1 to own_planes(), own_planes() + 1 above.
  double* plane(std::size_t slot) { return values_.data() + slot * plane_size(); }
  const double* plane(std::size_t slot) const { return values_.data() + slot * plane_size(); }
  void clear() { values_.assign(values_.size(), 0.0); }

  /// Makes rims and neighbouring planes agree with the points that they stand for. Two messages to each
  /// worker, one if a plane that it needs is its own.
  void exchange(Team& team);

 private:
  void wrap_rims();

  int n_;
  Interval planes_;
  std::vector<double> values_;
};

/// The weights of an operator with 27 points: centre, faces, edges, corners.
using Weights = std::array<double, 4>;

// The operators below compute own planes and then exchange.

/// r = v - A u
void residual(Team& team, const Field& u, const Field& v, Field& r);
/// u += S r
void smooth(Team& team, const Weights& weights, const Field& r, Field& u);
/// coarse = the weighted mean of fine
void restrict_to(Team& team, const Field& fine, Field& coarse);
/// fine += coarse, interpolated
void add_interpolated(Team& team, const Field& coarse, Field& fine);

}  // namespace morgana::kernels
