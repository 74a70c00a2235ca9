#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

namespace morgana {

/// How many per cent of their random cases tests try: as the environment's MORGANA_TEST_EFFORT says, all
/// unless it does.
inline std::uint64_t test_effort() {
  const char* text = std::getenv("MORGANA_TEST_EFFORT");
  return text == nullptr ? 100
                         : static_cast<std::uint64_t>(std::clamp(std::strtol(text, nullptr, 10), 1L, 100L));
}

/// How many of a test's random cases to try, at least one. Always the first ones, so a smaller effort tries
/// nothing that a greater one leaves out. Sanitizers look for what a case does to memory, which a few hundred
/// cases show as well as thousands; the plain build tries every case.
inline std::uint64_t random_cases(std::uint64_t all) {
  return (all * test_effort() + 99) / 100;
}

/// Whether to try the case of this number, from 0. The same share as `random_cases`, spread evenly: for cases
/// that grow with their number.
inline bool is_tried(std::uint64_t number) {
  return number * test_effort() / 100 != (number + 1) * test_effort() / 100;
}

}  // namespace morgana
