#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace morgana {

/// A platform's file that is refused, and a part of the refusal.
struct BadInput {
  std::string text;
  std::string expected;
};

inline void PrintTo(const BadInput& input, std::ostream* out) {
  *out << input.expected;
}

class BadPlatform : public ::testing::TestWithParam<BadInput> {};

}  // namespace morgana
