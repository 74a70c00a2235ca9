#include "benchmarks/kernels/pde2/grid.h"

namespace morgana::kernels {
namespace {

enum Tag { tag_left = 70, tag_right, tag_down, tag_up };

}  // namespace

Grid::Grid(const WorkerGrid& workers, int rank, int n, Interval x, Interval y)
    : workers_(workers),
      row_of_workers_(workers.row(rank)),
      column_of_workers_(workers.column(rank)),
      n_(n),
      x_(x),
      y_(y),
      row_size_(static_cast<std::size_t>(x.size()) + 3),
      values_(row_size_ * (static_cast<std::size_t>(y.size()) + 3)) {}

template <typename Do>
void Grid::along_column(int x, Do with) {
  for (int y = y_.begin; y <= y_.end; ++y) with(at(x, y));
}

template <typename Do>
void Grid::along_row(int y, Do with) {
  for (int x = x_.begin; x <= x_.end; ++x) with(at(x, y));
}

void Grid::exchange(Team& team) {
  const int row = row_of_workers_, column = column_of_workers_;
  const bool left = column > 0, right = column + 1 < workers_.columns;
  const bool down = row > 0, up = row + 1 < workers_.rows;
  const auto send = [&](int to, int tag, auto collect) {
    std::vector<double>& line = outgoing_[tag - tag_left];
    line.clear();
    collect([&](double value) { line.push_back(value); });
    team.send(to, tag, line);
  };
  if (left)
    send(workers_.worker(row, column - 1), tag_left, [&](auto add) { along_column(x_.begin + 1, add); });
  if (right)
    send(workers_.worker(row, column + 1), tag_right, [&](auto add) { along_column(x_.end - 1, add); });
  if (down) send(workers_.worker(row - 1, column), tag_down, [&](auto add) { along_row(y_.begin + 1, add); });
  if (up) send(workers_.worker(row + 1, column), tag_up, [&](auto add) { along_row(y_.end - 1, add); });

  const auto receive = [&](int from, int tag, int length, auto spread) {
    incoming_.resize(static_cast<std::size_t>(length) + 1);
    team.receive(from, tag, incoming_);
    auto next = incoming_.cbegin();
    spread([&](double& value) { value = *next++; });
  };
  if (left) {
    receive(workers_.worker(row, column - 1), tag_right, y_.size(),
            [&](auto take) { along_column(x_.begin - 1, take); });
  }
  if (right) {
    receive(workers_.worker(row, column + 1), tag_left, y_.size(),
            [&](auto take) { along_column(x_.end + 1, take); });
  }
  if (down) {
    receive(workers_.worker(row - 1, column), tag_up, x_.size(),
            [&](auto take) { along_row(y_.begin - 1, take); });
  }
  if (up) {
    receive(workers_.worker(row + 1, column), tag_down, x_.size(),
            [&](auto take) { along_row(y_.end + 1, take); });
  }
  team.finish();
}

}  // namespace morgana::kernels
