#pragma once

#include <string>

namespace morgana::test {

/// Whether `text` holds what programs/ending.c prints: of each rank (4 at most) all lines, once and in their
/// order, wherever other ranks' come between; and nothing else.
/// @return empty; or what is wrong
std::string wrong_lines(const std::string& text, int ranks, int lines);

/// Standard error without the notes of what a result is not, which are printed with --quiet, too.
std::string without_notes(const std::string& text);

}  // namespace morgana::test
