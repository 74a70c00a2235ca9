#include "emulator/schema/nearest.h"

#include <algorithm>
#include <vector>

namespace morgana {
namespace {

/// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  for (std::size_t j = 0; j <= b.size(); ++j) cost[0][j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t change = a[i - 1] == b[j - 1] ? 0 : 1;
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1, cost[i - 1][j - 1] + change});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

std::string in_lower_case(std::string_view text) {
  std::string lower(text);
  for (char& one : lower)
    if (one >= 'A' && one <= 'Z') one = static_cast<char>(one - 'A' + 'a');
  return lower;
}

/// "hdr" of "hdr200": a generation, behind which some write a rate.
std::string_view without_number(std::string_view word) {
  return word.substr(0, word.find_last_not_of("0123456789") + 1);
}

std::string_view last_part(std::string_view key) {
  return key.substr(key.rfind('.') + 1);  // npos + 1 is 0
}

}  // namespace

std::optional<std::string> nearest(std::string_view word, std::span<const std::string> candidates) {
  constexpr std::size_t longest_compared = 100;
  if (word.empty() || word.size() > longest_compared) return std::nullopt;
  const std::size_t near_enough = std::max<std::size_t>(2, word.size() / 3);
  std::optional<std::string> best;
  std::size_t least = near_enough + 1;
  const std::string lower = in_lower_case(word);
  for (const std::string& candidate : candidates) {
    const std::string other = in_lower_case(candidate);
    if (other == lower) return candidate;
    // The right name in the wrong section is nearer than any misspelling, and so is one without its number.
    const bool same_name = last_part(other) == last_part(lower);
    const std::size_t apart =
        other == without_number(lower) ? 0 : distance(lower, other) / (same_name ? lower.size() : 1);
    if (apart < least) {
      least = apart;
      best = candidate;
    }
  }
  return best;
}

}  // namespace morgana
