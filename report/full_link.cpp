#include "report/full_link.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

#include "emulator/report/readable.h"

namespace morgana {
namespace {

constexpr double full = 0.95, worth_telling = 0.1;

/// By window: how long the ranks are in calls of that name, in picoseconds.
std::vector<double> times_in(const Timeline& timeline, std::uint32_t name, const LinkHistory& history) {
  std::vector<double> times(history.windows());
  const std::int64_t window = history.window.ps();
  for (const Timeline::Call& call : timeline.calls) {
    if (call.name != name) continue;
    auto at = static_cast<std::size_t>(call.begin.ps() / window);
    for (; at < times.size(); ++at) {
      const std::int64_t begin = static_cast<std::int64_t>(at) * window;
      if (begin >= call.end.ps()) break;
      times[at] +=
          static_cast<double>(std::min(call.end.ps(), begin + window) - std::max(call.begin.ps(), begin));
    }
  }
  return times;
}

}  // namespace

std::string full_link_text(const Timeline& timeline, const LinkHistory& history) {
  if (history.windows() == 0 || !(history.window > SimTime())) return "";
  std::vector<SimTime> of_name(timeline.names.size());
  for (const Timeline::Call& call : timeline.calls) of_name[call.name] += call.end - call.begin;
  const auto longest = std::ranges::max_element(of_name);
  if (longest == of_name.end() || *longest == SimTime()) return "";
  const auto name = static_cast<std::uint32_t>(longest - of_name.begin());
  const auto busiest = std::ranges::max_element(history.links, {}, &LinkLoad::utilisation);
  const auto first = static_cast<std::size_t>(busiest - history.links.begin()) * history.windows();
  const std::vector<double> times = times_in(timeline, name, history);
  double all = 0, while_full = 0;
  for (std::size_t at = 0; at < times.size(); ++at) {
    all += times[at];
    if (static_cast<double>(history.busy[first + at]) >= full) while_full += times[at];
  }
  if (!(while_full >= worth_telling * all) || !(all > 0)) return "";
  return fmt::format("the busiest link is full during at least {} of the ranks' time in {}",
                     readable_share(while_full / all), timeline.names[name]);
}

}  // namespace morgana
