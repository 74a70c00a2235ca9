#pragma once

#include <string>

namespace morgana::test {

/// Whether `text` holds what programs/ending.c prints: of each rank (4 at most) all lines, once and in their
/// order, wherever other ranks' come between; and nothing else.
/// @return empty; or what is wrong
std::string wrong_lines(const std::string& text, int ranks, int lines);

}  // namespace morgana::test
