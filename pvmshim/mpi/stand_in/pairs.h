#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <utility>

namespace morgana::stand_in {

/// A constant of the program's interface, and MPICH's.
using Pair = std::pair<int, int>;

/// No constant of MPICH's: its calls refuse it.
inline constexpr int no_constant = -12345;

template <std::size_t size>
int from_first(const std::array<Pair, size>& pairs, int value, int otherwise) {
  if (const auto place = static_cast<std::size_t>(value); place < size && pairs[place].first == value)
    return pairs[place].second;
  for (const auto& [theirs, ours] : pairs)
    if (theirs == value) return ours;
  return otherwise;
}

template <std::size_t size>
int from_second(const std::array<Pair, size>& pairs, int value, int otherwise) {
  for (const auto& [theirs, ours] : pairs)
    if (ours == value) return theirs;
  return otherwise;
}

/// Of constants that are or-ed: no_constant if some bit is none of them.
template <std::size_t size>
int bits_from_first(const std::array<Pair, size>& pairs, int bits) {
  int found = 0;
  for (const auto& [theirs, ours] : pairs) {
    if ((bits & theirs) == 0) continue;
    found |= ours;
    bits &= ~theirs;
  }
  return bits == 0 ? found : no_constant;
}

/// The constants of an interface that counts them from 0.
template <std::size_t size>
constexpr std::array<Pair, size> counted(const std::array<int, size>& of_mpich) {
  std::array<Pair, size> pairs{};
  for (std::size_t i = 0; i < size; ++i) pairs[i] = {static_cast<int>(i), of_mpich[i]};
  return pairs;
}

}  // namespace morgana::stand_in
