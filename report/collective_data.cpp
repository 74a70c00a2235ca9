#include "report/collective_data.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <vector>

#include "report/packed.h"

namespace morgana {
namespace {

using nlohmann::json;
using Part = Timeline::Part;

/// Where each collective's parts begin, and where the last one's end.
std::vector<std::uint32_t> firsts_of(const Timeline& timeline) {
  std::vector<std::uint32_t> first(timeline.collectives.size() + 1);
  for (const Part& part : timeline.parts) ++first[part.collective + 1];
  for (std::size_t i = 1; i < first.size(); ++i) first[i] += first[i - 1];
  return first;
}

struct CollectiveTotal {
  std::int64_t collectives = 0, parts = 0;
  std::int64_t gathering_ps = 0;  ///< from the first rank's begin to the last one's
  std::int64_t finishing_ps = 0;  ///< from there to the last rank's end
};

}  // namespace

json collectives_of(const Timeline& timeline) {
  return {
      {"names", packed<std::uint16_t>(timeline.collectives, [](std::uint32_t name) { return name; })},
      {"first", base64(firsts_of(timeline))},
      {"rank", packed<std::uint32_t>(timeline.parts,
                                     [&](const Part& part) { return index(part.rank) - timeline.services; })},
      {"begin_ps", packed<double>(timeline.parts, [](const Part& part) { return part.begin.ps(); })},
      {"end_ps", packed<double>(timeline.parts, [](const Part& part) { return part.end.ps(); })}};
}

json collective_totals_of(const Timeline& timeline) {
  std::vector<CollectiveTotal> totals(timeline.names.size());
  const std::vector<std::uint32_t> first = firsts_of(timeline);
  for (std::size_t i = 0; i < timeline.collectives.size(); ++i) {
    const auto begin = timeline.parts.begin() + first[i], end = timeline.parts.begin() + first[i + 1];
    const auto [earliest, latest] =
        std::minmax_element(begin, end, [](const Part& a, const Part& b) { return a.begin < b.begin; });
    const auto last =
        std::max_element(begin, end, [](const Part& a, const Part& b) { return a.end < b.end; });
    CollectiveTotal& total = totals[timeline.collectives[i]];
    ++total.collectives;
    total.parts += end - begin;
    total.gathering_ps += (latest->begin - earliest->begin).ps();
    total.finishing_ps += (last->end - latest->begin).ps();
  }
  json rows = json::array();
  for (std::size_t name = 0; name < totals.size(); ++name)
    if (totals[name].collectives > 0)
      rows.push_back({{"name", timeline.names[name]},
                      {"collectives", totals[name].collectives},
                      {"parts", totals[name].parts},
                      {"gathering_ps", totals[name].gathering_ps},
                      {"finishing_ps", totals[name].finishing_ps}});
  return rows;
}

}  // namespace morgana
