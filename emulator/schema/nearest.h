#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace morgana {

/// The candidate that `word` was most likely meant to be: the fewest letters inserted, deleted, changed or
/// swapped with their neighbour; the first of several. Nothing if none is near.
std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates);

}  // namespace morgana
