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
  for (const std::string& candidate : candidates) {
    // The right name in the wrong section is nearer than any misspelling.
    const bool same_name = last_part(candidate) == last_part(word);
    const std::size_t apart = distance(word, candidate) / (same_name ? word.size() : 1);
    if (apart < least) {
      least = apart;
      best = candidate;
    }
  }
  return best;
}

}  // namespace morgana
