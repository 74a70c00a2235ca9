#pragma once

#include <vector>

#include "benchmarks/kernels/common/split.h"
#include "benchmarks/kernels/common/team.h"

namespace morgana::kernels {

/// One worker's block of a square grid: the points first to last in either direction, both of them shared
/// with the neighbours (or on the boundary), and the neighbours' next line around it, without the corners.
class Grid {
 public:
  /// @param n  intervals a side of the whole grid
  /// @param cells  rows and columns of intervals of this worker
  Grid(const WorkerGrid& workers, int rank, int n, Interval x, Interval y);

  int n() const { return n_; }
  Interval x() const { return x_; }  ///< own points are x.begin to x.end, both included
  Interval y() const { return y_; }

  double& at(int x, int y) { return values_[place(x, y)]; }
  double at(int x, int y) const { return values_[place(x, y)]; }
  double* row(int y) { return values_.data() + place(0, y); }  ///< its element x is point (x, y)
  std::size_t row_size() const { return row_size_; }
  void clear() { values_.assign(values_.size(), 0.0); }

  /// Gets the lines around the block from the neighbours: one message from each.
  void exchange(Team& team);

 private:
  std::size_t place(int x, int y) const {
    // Unsigned arithmetic wraps: point (0, y) may lie outside of the block.
    return static_cast<std::size_t>(x - x_.begin + 1) +
           row_size_ * static_cast<std::size_t>(y - y_.begin + 1);
  }
  template <typename Do>
  void along_column(int x, Do with);
  template <typename Do>
  void along_row(int y, Do with);

  const WorkerGrid workers_;
  int row_of_workers_, column_of_workers_, n_;
  Interval x_, y_;
  std::size_t row_size_;
  std::vector<double> values_, incoming_;
  std::vector<double> outgoing_[4];
};

}  // namespace morgana::kernels
