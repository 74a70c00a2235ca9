#include "replay/straggler.h"

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace morgana {
namespace {

/// By which factor a rank's computing takes as long as the median.
double factor_to(SimTime median, SimTime computes) {
  // 0 would be no factor: a picosecond is as good.
  return static_cast<double>(std::max<std::int64_t>(median.ps(), 1)) / static_cast<double>(computes.ps());
}

}  // namespace

StragglerReport find_straggler(const Platform& platform, const std::filesystem::path& trace,
                               const ReplayOptions& how, const ReplayResult& result) {
  StragglerReport report;
  report.end = report.all_end = result.statistics.simulated_time();
  std::vector<std::pair<SimTime, std::size_t>> longest;
  for (std::size_t rank = result.statistics.first_rank(); rank < result.computed.size(); ++rank)
    longest.emplace_back(result.computed[rank], rank);
  if (longest.empty()) return report;
  // Of ranks that compute equally long, the first first.
  std::ranges::stable_sort(longest, std::greater<>(), &std::pair<SimTime, std::size_t>::first);
  report.median = longest[longest.size() / 2].first;
  while (report.above < longest.size() && longest[report.above].first > report.median) ++report.above;

  ReplayOptions again;
  again.placement = how.placement;
  again.seed = how.seed;
  again.progress = how.progress;
  again.translated = how.translated;
  again.beside = how.beside;
  const auto end_with = [&](std::size_t from, std::size_t to) {
    again.variation = how.variation;
    again.variation->further.assign(result.computed.size(), 1.0);
    for (std::size_t i = from; i < to; ++i)
      again.variation->further[longest[i].second] = factor_to(report.median, longest[i].first);
    return replay_on(platform, trace, again).statistics.simulated_time();
  };
  for (std::size_t i = 0; i < std::min(report.above, stragglers_tried); ++i)
    report.slow.push_back({longest[i].second, longest[i].first, end_with(i, i + 1)});
  if (report.above == 1) report.all_end = report.slow.front().end;
  if (report.above > 1) report.all_end = end_with(0, report.above);
  return report;
}

}  // namespace morgana
