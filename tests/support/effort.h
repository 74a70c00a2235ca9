#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace morgana::testing {

/// How many of a test's random cases to try: all of them, or as many per cent as the environment's
/// MORGANA_TEST_EFFORT says (1 to 100), rounded up. Always the first ones, so a smaller effort tries nothing
/// that a greater one leaves out. Sanitizers look for what a case does to memory, which a few hundred cases
/// show as well as thousands; the plain build tries every case.
inline std::uint64_t random_cases(std::uint64_t all) {
  const char* text = std::getenv("MORGANA_TEST_EFFORT");
  const long percent = text == nullptr ? 100 : std::clamp(std::strtol(text, nullptr, 10), 1L, 100L);
  return (all * static_cast<std::uint64_t>(percent) + 99) / 100;
}

}  // namespace morgana::testing
