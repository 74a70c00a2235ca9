#include "traces/export/collective_matcher.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <tuple>

namespace morgana {
namespace {

constexpr SimTime not_ended = SimTime::from_ps(-1);

}  // namespace

std::size_t CollectiveMatcher::begin(std::uint32_t communicator, Rank rank, std::uint32_t name, SimTime at) {
  std::vector<std::uint32_t>& known = of_communicator_[communicator];
  const std::size_t number = begun_[communicator]++;
  if (number == known.size()) {
    known.push_back(static_cast<std::uint32_t>(names_.size()));
    names_.push_back(name);
  }
  parts_.push_back({known[number], rank, at, not_ended});
  return parts_.size() - 1;
}

void CollectiveMatcher::finish(Timeline& timeline) {
  std::erase_if(parts_, [](const Timeline::Part& part) { return part.end == not_ended; });
  std::vector<std::size_t> members(names_.size());
  std::vector<SimTime> first(names_.size(), SimTime::from_ps(std::numeric_limits<std::int64_t>::max()));
  for (const Timeline::Part& part : parts_) {
    ++members[part.collective];
    first[part.collective] = std::min(first[part.collective], part.begin);
  }
  std::vector<std::uint32_t> order(names_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::erase_if(order, [&](std::uint32_t one) { return members[one] < 2; });
  std::ranges::stable_sort(order, {}, [&](std::uint32_t one) { return first[one]; });
  std::vector<std::uint32_t> place(names_.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    place[order[i]] = i;
    timeline.collectives.push_back(names_[order[i]]);
  }
  for (Timeline::Part& part : parts_) {
    if (members[part.collective] < 2) continue;
    part.collective = place[part.collective];
    timeline.parts.push_back(part);
  }
  std::ranges::stable_sort(timeline.parts, {}, [](const Timeline::Part& part) {
    return std::tuple(part.collective, index(part.rank));
  });
}

}  // namespace morgana
