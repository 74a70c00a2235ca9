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

/// The coefficients x >= 0 with the least sum of squares of (row x - 1), for rows divided by what was
/// measured: least squares of relative errors. As long as a coefficient is below 0, the lowest one is left
/// out.
/// @param weights  of the squares, one for each row
template <std::size_t Terms>
Coefficients<Terms> least_relative_squares(std::span<const Coefficients<Terms>> rows,
                                           std::span<const double> weights) {
  std::array<bool, Terms> out{};
  Coefficients<Terms> scale{}, values{};
  for (const Coefficients<Terms>& row : rows)
    for (std::size_t i = 0; i < Terms; ++i) scale[i] = std::max(scale[i], std::abs(row[i]));
  for (std::size_t round = 0; round < Terms; ++round) {
    std::array<Coefficients<Terms>, Terms> matrix{};
    Coefficients<Terms> right{};
    for (std::size_t number = 0; number < rows.size(); ++number) {
      Coefficients<Terms> row = rows[number];
      for (std::size_t i = 0; i < Terms; ++i) row[i] = out[i] || scale[i] == 0 ? 0 : row[i] / scale[i];
      for (std::size_t i = 0; i < Terms; ++i) {
        for (std::size_t j = 0; j < Terms; ++j) matrix[i][j] += weights[number] * row[i] * row[j];
        right[i] += weights[number] * row[i];
      }
    }
    values = solve_equations<Terms>(matrix, right);
    const auto least = std::min_element(values.begin(), values.end());
    if (*least >= 0) break;
    out[static_cast<std::size_t>(least - values.begin())] = true;
    values = {};
  }
  for (std::size_t i = 0; i < Terms; ++i)
    if (scale[i] > 0) values[i] /= scale[i];
  return values;
}

}  // namespace morgana
