#include "replay/comparison_answer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <vector>

#include "emulator/report/readable.h"
#include "emulator/report/times_as.h"
#include "replay/comparison.h"

namespace morgana {
namespace {

/// "a", or "a, b and c alike".
std::string platforms_that_take(const Comparison& comparison, SimTime total) {
  std::vector<std::string> names;
  for (const ComparedRun& run : comparison.runs)
    if (run.total == total) names.push_back(run.platform);
  if (names.size() == 1) return names.front();
  const std::string last = names.back();
  names.pop_back();
  return fmt::format("{} and {} alike", fmt::join(names, ", "), last);
}

}  // namespace

std::string comparison_answer(const Comparison& comparison) {
  if (comparison.runs.size() < 2) return "";
  const auto [best, worst] = std::ranges::minmax_element(comparison.runs, {}, &ComparedRun::total);
  if (best->total == worst->total)
    return fmt::format("It takes the same time on all platforms: {}.", readable(best->total));
  std::string text = fmt::format("Fastest on {}: {}. Slowest on {}: {}",
                                 platforms_that_take(comparison, best->total), readable(best->total),
                                 platforms_that_take(comparison, worst->total), readable(worst->total));
  if (best->total > SimTime()) text += ", " + longer_text(worst->total.seconds() / best->total.seconds());
  text += '.';
  if (!best->limit.empty()) text += fmt::format(" The limit on {}: {}.", best->platform, best->limit);
  return text;
}

}  // namespace morgana
