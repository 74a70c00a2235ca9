#pragma once

#include <cstdint>

/// The factors that the prefixes of units stand for: k, M, G are 1000, 1000^2, 1000^3; Ki, Mi, Gi are 1024,
/// 1024^2, 1024^3.
namespace morgana::multiples {

inline constexpr std::int64_t thousand = 1'000, million = 1'000'000, billion = 1'000'000'000;
inline constexpr std::int64_t kibi = 1'024, mebi = kibi * kibi, gibi = kibi * mebi;

}  // namespace morgana::multiples
