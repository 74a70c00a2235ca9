#include "emulator/topology/smallest_eigenvalue.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "emulator/core/random.h"

namespace morgana {
namespace {

using Numbers = std::vector<double>;

double dot(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (std::size_t n = 0; n < a.size(); ++n) sum += a[n] * b[n];
  return sum;
}

/// a += factor b
void add(Numbers& a, double factor, const Numbers& b) {
  for (std::size_t n = 0; n < a.size(); ++n) a[n] += factor * b[n];
}

double scaled_to_one(Numbers& a) {
  const double length = std::sqrt(dot(a, a));
  if (length > 0)
    for (double& value : a) value /= length;
  return length;
}

/// A symmetric matrix with nothing but its diagonal and the one beside it.
struct Tridiagonal {
  Numbers diagonal, beside;

  /// How many eigenvalues are less than `bound` (Sturm's sequence).
  std::size_t below(double bound) const {
    std::size_t count = 0;
    double pivot = 1;
    for (std::size_t n = 0; n < diagonal.size(); ++n) {
      pivot = diagonal[n] - bound - (n > 0 ? beside[n - 1] * beside[n - 1] / pivot : 0);
      if (pivot == 0) pivot = std::numeric_limits<double>::epsilon();
      if (pivot < 0) ++count;
    }
    return count;
  }

  double smallest() const {
    double low = 0, high = 0;
    for (std::size_t n = 0; n < diagonal.size(); ++n) {
      const double around =
          (n > 0 ? std::abs(beside[n - 1]) : 0) + (n + 1 < diagonal.size() ? std::abs(beside[n]) : 0);
      low = n == 0 ? diagonal[n] - around : std::min(low, diagonal[n] - around);
      high = n == 0 ? diagonal[n] : std::min(high, diagonal[n]);
    }
    high += std::abs(high) * std::numeric_limits<double>::epsilon() + std::numeric_limits<double>::min();
    constexpr int halvings = 100;
    for (int n = 0; n < halvings; ++n) {
      const double middle = low + (high - low) / 2;
      (below(middle) > 0 ? high : low) = middle;
    }
    return low;  // just below it, so that all pivots are positive
  }

  /// Of the smallest eigenvalue, by inverse iteration. @param below_it  a little less than it is
  Numbers vector(double below_it) const {
    const std::size_t size = diagonal.size();
    const double shift = below_it - 1e-12 * (std::abs(below_it) + 1);
    Numbers pivots(size), result(size, 1);
    for (std::size_t n = 0; n < size; ++n)
      pivots[n] = diagonal[n] - shift - (n > 0 ? beside[n - 1] * beside[n - 1] / pivots[n - 1] : 0);
    constexpr int rounds = 6;
    for (int round = 0; round < rounds; ++round) {
      for (std::size_t n = 1; n < size; ++n) result[n] -= beside[n - 1] / pivots[n - 1] * result[n - 1];
      for (std::size_t n = size; n-- > 0;)
        result[n] = (result[n] - (n + 1 < size ? beside[n] * result[n + 1] : 0)) / pivots[n];
      scaled_to_one(result);
    }
    return result;
  }
};

class Laplacian {
 public:
  Laplacian(const JoinedSwitches& joined, const std::vector<bool>& has_hosts)
      : joined_(joined), across_(joined.switches()) {
    for (std::size_t at = 0; at < across_.size(); ++at) across_[at] = has_hosts[at] ? 1 : 0;
    scaled_to_one(across_);
  }
  void project(Numbers& x) const { add(x, -dot(x, across_), across_); }
  Numbers times(const Numbers& x) const {
    Numbers result(x.size());
    for (SwitchId at = 0; at < x.size(); ++at)
      for (const JoinedSwitches::Next& next : joined_.next(at))
        result[at] += next.trunks * (x[at] - x[next.at]);
    project(result);
    return result;
  }

 private:
  const JoinedSwitches& joined_;
  Numbers across_;  // h, of length 1
};

/// The smallest eigenvalue in the space that `start` spans with the matrix's powers.
SmallestEigenvalue in_krylov_space(const Laplacian& matrix, Numbers start) {
  constexpr std::size_t most_steps = 80;
  const std::size_t steps = std::min(most_steps, start.size() - 1);
  std::vector<Numbers> basis;
  Tridiagonal small;
  matrix.project(start);
  scaled_to_one(start);
  double rest = 0;  // of the last vector, outside the space
  while (basis.size() < steps) {
    basis.push_back(std::move(start));
    start = matrix.times(basis.back());
    small.diagonal.push_back(dot(start, basis.back()));
    for (int twice = 0; twice < 2; ++twice)
      for (const Numbers& one : basis) add(start, -dot(start, one), one);
    matrix.project(start);
    rest = scaled_to_one(start);
    constexpr double nothing = 1e-12;
    if (rest < nothing * (std::abs(small.diagonal.front()) + 1)) break;  // the space is complete
    small.beside.push_back(rest);
  }
  SmallestEigenvalue found;
  const double below_it = small.smallest();
  const Numbers weights = small.vector(below_it);
  found.vector.assign(basis.front().size(), 0);
  for (std::size_t n = 0; n < basis.size(); ++n) add(found.vector, weights[n], basis[n]);
  scaled_to_one(found.vector);
  Numbers image = matrix.times(found.vector);
  found.value = dot(image, found.vector);
  add(image, -found.value, found.vector);
  found.residual = std::sqrt(dot(image, image));
  return found;
}

}  // namespace

SmallestEigenvalue smallest_eigenvalue(const JoinedSwitches& joined, const std::vector<bool>& has_hosts) {
  const Laplacian matrix(joined, has_hosts);
  RandomStream random(1, "eigenvector");
  Numbers start(joined.switches());
  constexpr std::size_t fine = 1'000'000;
  for (double& value : start) value = static_cast<double>(random.below(fine)) / fine - 0.5;
  SmallestEigenvalue found;
  constexpr int most_rounds = 12;
  constexpr double close = 1e-9;
  for (int round = 0; round < most_rounds; ++round) {
    found = in_krylov_space(matrix, round == 0 ? start : found.vector);
    if (found.residual < close * (1 + found.value)) break;
  }
  return found;
}

}  // namespace morgana
