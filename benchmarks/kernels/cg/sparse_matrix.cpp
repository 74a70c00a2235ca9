#include "benchmarks/kernels/cg/sparse_matrix.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "benchmarks/kernels/common/nas_random.h"

namespace morgana::kernels {
namespace {

struct Entry {
  int place;
  double value;
};

/// The random sparse vectors, one after the other.
class SparseVectors {
 public:
  SparseVectors(int order, int nonzeros) : order_(order), nonzeros_(nonzeros) {
    while (power_ < order) power_ *= 2;
    random_.next();  // The benchmark draws one number before it makes the matrix.
  }

  const std::vector<Entry>& next() {
    entries_.clear();
    while (static_cast<int>(entries_.size()) < nonzeros_) {
      const double value = random_.next();
      const int place = static_cast<int>(random_.next() * power_);
      if (place < order_ && find(place) == entries_.end()) entries_.push_back({place, value});
    }
    const auto own = find(index_);
    if (own == entries_.end()) {
      entries_.push_back({index_, 0.5});
    } else {
      own->value = 0.5;
    }
    ++index_;
    return entries_;
  }

 private:
  std::vector<Entry>::iterator find(int place) {
    return std::find_if(entries_.begin(), entries_.end(), [&](const Entry& e) { return e.place == place; });
  }

  int order_, nonzeros_, power_ = 2, index_ = 0;
  NasRandom random_{314159265};
  std::vector<Entry> entries_;
};

/// Adds up the entries of equal columns, in the order in which they came.
void append_row(std::vector<Entry>& entries, SparseRows& result) {
  std::stable_sort(entries.begin(), entries.end(),
                   [](const Entry& a, const Entry& b) { return a.place < b.place; });
  for (std::size_t i = 0; i < entries.size();) {
    const int column = entries[i].place;
    double sum = 0.0;
    for (; i < entries.size() && entries[i].place == column; ++i) sum += entries[i].value;
    result.columns.push_back(column);
    result.values.push_back(sum);
  }
  result.starts.push_back(static_cast<int>(result.columns.size()));
}

}  // namespace

void SparseRows::multiply(const std::vector<double>& whole, std::vector<double>& product) const {
  for (std::size_t row = 0; row + 1 < starts.size(); ++row) {
    double sum = 0.0;
    const auto end = static_cast<std::size_t>(starts[row + 1]);
    for (auto k = static_cast<std::size_t>(starts[row]); k < end; ++k) {
      sum += values[k] * whole[static_cast<std::size_t>(columns[k])];
    }
    product[row] = sum;
  }
}

SparseRows rows_of_cg_matrix(Interval rows, int order, int nonzeros, double shift) {
  constexpr double condition = 0.1;
  const double ratio = std::pow(condition, 1.0 / order);
  std::vector<std::vector<Entry>> lines(static_cast<std::size_t>(rows.size()));
  SparseVectors vectors(order, nonzeros);
  double weight = 1.0;
  for (int i = 0; i < order; ++i, weight *= ratio) {
    const std::vector<Entry>& vector = vectors.next();
    for (const Entry& down : vector) {
      if (!rows.holds(down.place)) continue;
      std::vector<Entry>& line = lines[static_cast<std::size_t>(down.place - rows.begin)];
      for (const Entry& across : vector) {
        line.push_back({across.place, across.value * weight * down.value});
        if (down.place == i && across.place == i) line.back().value += condition - shift;
      }
    }
  }
  SparseRows result;
  result.starts.push_back(0);
  for (std::vector<Entry>& line : lines) {
    append_row(line, result);
    line = {};
  }
  return result;
}

}  // namespace morgana::kernels
