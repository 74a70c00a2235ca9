#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <span>
#include <utility>

namespace morgana {

/// Coefficients of a model that is linear in them.
template <std::size_t Terms>
using Coefficients = std::array<double, Terms>;

template <std::size_t Terms>
double row_product(const Coefficients<Terms>& row, const Coefficients<Terms>& values) {
  double total = 0;
  for (std::size_t i = 0; i < Terms; ++i) total += row[i] * values[i];
  return total;
}

template <std::size_t Terms>
Coefficients<Terms> row_over(Coefficients<Terms> row, double by) {
  for (double& one : row) one /= by;
  return row;
}

/// Gauss with the largest pivot; a term without any weight is 0.
template <std::size_t Terms>
Coefficients<Terms> solve_equations(std::array<Coefficients<Terms>, Terms> matrix,
                                    Coefficients<Terms> right) {
  constexpr double least_pivot = 1e-12;
  std::array<std::size_t, Terms> order{};
  for (std::size_t i = 0; i < Terms; ++i) order[i] = i;
  for (std::size_t i = 0; i < Terms; ++i) {
    std::size_t pivot = i;
    for (std::size_t j = i + 1; j < Terms; ++j)
      if (std::abs(matrix[j][j]) > std::abs(matrix[pivot][pivot])) pivot = j;
    std::swap(matrix[i], matrix[pivot]);
    std::swap(right[i], right[pivot]);
    std::swap(order[i], order[pivot]);
    for (Coefficients<Terms>& row : matrix) std::swap(row[i], row[pivot]);
    if (std::abs(matrix[i][i]) < least_pivot) {
      matrix[i] = {};
      matrix[i][i] = 1;
      right[i] = 0;
    }
    for (std::size_t j = 0; j < Terms; ++j) {
      if (j == i) continue;
      const double factor = matrix[j][i] / matrix[i][i];
      for (std::size_t k = 0; k < Terms; ++k) matrix[j][k] -= factor * matrix[i][k];
      right[j] -= factor * right[i];
    }
  }
  Coefficients<Terms> result{};
  for (std::size_t i = 0; i < Terms; ++i) result[order[i]] = right[i] / matrix[i][i];
  return result;
}

/// The x >= 0 with the least x'Mx - 2 r'x, M being `matrix`, which is symmetric and has no negative
/// eigenvalue, and r `right`: C. Lawson and R. Hanson, Solving Least Squares Problems, 1974, chapter 23.
template <std::size_t Terms>
Coefficients<Terms> least_where_not_negative(const std::array<Coefficients<Terms>, Terms>& matrix,
                                             const Coefficients<Terms>& right) {
  constexpr double nothing = 1e-13;  // of a gradient, whose terms are at most the number of rows
  constexpr std::size_t most_rounds = 4 * Terms;
  std::array<bool, Terms> in{};
  Coefficients<Terms> values{};
  const auto solve_those_in = [&] {
    std::array<Coefficients<Terms>, Terms> part{};
    Coefficients<Terms> wanted{};
    for (std::size_t i = 0; i < Terms; ++i) {
      if (!in[i]) continue;
      wanted[i] = right[i];
      for (std::size_t j = 0; j < Terms; ++j) part[i][j] = in[j] ? matrix[i][j] : 0;
    }
    return solve_equations<Terms>(part, wanted);
  };
  for (std::size_t round = 0; round < most_rounds; ++round) {
    std::size_t steepest = Terms;
    double most = nothing;
    for (std::size_t i = 0; i < Terms; ++i) {
      const double gradient = right[i] - row_product(matrix[i], values);
      if (in[i] || gradient <= most) continue;
      most = gradient;
      steepest = i;
    }
    if (steepest == Terms) return values;
    in[steepest] = true;
    for (std::size_t inner = 0; inner <= Terms; ++inner) {
      const Coefficients<Terms> next = solve_those_in();
      double step = 1;
      for (std::size_t i = 0; i < Terms; ++i)
        if (in[i] && next[i] <= 0) step = std::min(step, values[i] / std::max(values[i] - next[i], 1e-300));
      for (std::size_t i = 0; i < Terms; ++i) values[i] += step * (next[i] - values[i]);
      if (step >= 1) break;
      for (std::size_t i = 0; i < Terms; ++i) {
        if (!in[i] || next[i] > 0 || values[i] > nothing) continue;
        in[i] = false;
        values[i] = 0;
      }
    }
  }
  return values;
}

/// The coefficients x >= 0 with the least sum of squares of (row x - 1), for rows divided by what was
/// measured: least squares of relative errors.
/// @param weights  of the squares, one for each row
template <std::size_t Terms>
Coefficients<Terms> least_relative_squares(std::span<const Coefficients<Terms>> rows,
                                           std::span<const double> weights) {
  Coefficients<Terms> scale{}, right{};
  std::array<Coefficients<Terms>, Terms> matrix{};
  for (const Coefficients<Terms>& row : rows)
    for (std::size_t i = 0; i < Terms; ++i) scale[i] = std::max(scale[i], std::abs(row[i]));
  for (std::size_t number = 0; number < rows.size(); ++number) {
    Coefficients<Terms> row = rows[number];
    for (std::size_t i = 0; i < Terms; ++i) row[i] = scale[i] == 0 ? 0 : row[i] / scale[i];
    for (std::size_t i = 0; i < Terms; ++i) {
      for (std::size_t j = 0; j < Terms; ++j) matrix[i][j] += weights[number] * row[i] * row[j];
      right[i] += weights[number] * row[i];
    }
  }
  Coefficients<Terms> values = least_where_not_negative<Terms>(matrix, right);
  for (std::size_t i = 0; i < Terms; ++i)
    if (scale[i] > 0) values[i] /= scale[i];
  return values;
}

}  // namespace morgana
