#pragma once

#include <cstdint>

/// What prefixes of units stand for.
namespace morgana::multiples {

inline constexpr std::int64_t thousand = 1'000, million = 1'000'000, billion = 1'000'000'000;
inline constexpr std::int64_t kibi = 1'024, mebi = kibi * kibi, gibi = kibi * mebi;

}  // namespace morgana::multiples
