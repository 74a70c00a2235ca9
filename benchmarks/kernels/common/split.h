#pragma once

#include <vector>

namespace morgana::kernels {

/// From begin up to, not including, end.
struct Interval {
  int begin = 0, end = 0;
  int size() const { return end - begin; }
  bool holds(int i) const { return begin <= i && i < end; }
};

/// The share of `part` when `count` things are dealt in order to `parts`, as evenly as possible.
inline Interval share_of(int part, int parts, int count) {
  const auto bound = [&](int p) { return static_cast<int>(static_cast<long>(count) * p / parts); };
  return {bound(part), bound(part + 1)};
}

/// Where the shares begin, and `count` at the end.
inline std::vector<int> starts_of_shares(int parts, int count) {
  std::vector<int> result;
  for (int part = 0; part < parts; ++part) result.push_back(share_of(part, parts, count).begin);
  result.push_back(count);
  return result;
}

/// Workers as a rectangle of `rows` x `columns`, worker row * columns + column; rows <= columns.
struct WorkerGrid {
  int rows = 1, columns = 1;

  /// The most nearly square rectangle of `workers`.
  static WorkerGrid of(int workers) {
    WorkerGrid grid{1, workers};
    for (int rows = 1; rows * rows <= workers; ++rows) {
      if (workers % rows == 0) grid = {rows, workers / rows};
    }
    return grid;
  }
  int row(int worker) const { return worker / columns; }
  int column(int worker) const { return worker % columns; }
  int worker(int row, int column) const { return row * columns + column; }
};

}  // namespace morgana::kernels
