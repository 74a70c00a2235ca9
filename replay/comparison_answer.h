#pragma once

#include <string>

namespace morgana {

struct Comparison;

/// Which platform is fastest, by how much, and what limits it where that is known, in a sentence or two:
/// "Fastest on a and b alike: 1.157 ms. Slowest on c: 2.105 ms, 1.82 times as long. The limit on a: ...".
/// Names all platforms that take the same time. Empty for fewer than two.
std::string comparison_answer(const Comparison& comparison);

}  // namespace morgana
