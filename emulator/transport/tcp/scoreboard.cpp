#include "emulator/transport/tcp/scoreboard.h"

#include <algorithm>

namespace morgana::tcp {

Bytes Scoreboard::add(Range range) {
  const auto first = std::ranges::lower_bound(ranges_, range.begin, {}, &Range::end);
  auto after = first;
  Bytes before;
  while (after != ranges_.end() && after->begin <= range.end) {
    before += after->size();
    range.begin = std::min(range.begin, after->begin);
    range.end = std::max(range.end, after->end);
    ++after;
  }
  const Bytes added = range.size() - before;
  total_ += added;
  if (first == after)
    ranges_.insert(first, range);
  else
    *first = range, ranges_.erase(first + 1, after);
  return added;
}

void Scoreboard::forget_before(Place place) {
  auto kept = ranges_.begin();
  for (; kept != ranges_.end() && kept->end <= place; ++kept) total_ -= kept->size();
  ranges_.erase(ranges_.begin(), kept);
  if (ranges_.empty() || ranges_.front().begin >= place) return;
  total_ -= Bytes(place - ranges_.front().begin);
  ranges_.front().begin = place;
}

Place Scoreboard::lost_before(Bytes segment) const {
  Bytes above;
  int count = 0;
  for (auto range = ranges_.rbegin(); range != ranges_.rend(); ++range) {
    above += range->size();
    if (++count >= threshold || above > (threshold - 1) * segment) return range->begin;
  }
  return 0;
}

Bytes Scoreboard::missing(Range within) const {
  Bytes bytes = within.size();
  for (const Range& range : ranges_) {
    const Place begin = std::max(range.begin, within.begin), end = std::min(range.end, within.end);
    if (begin < end) bytes -= Bytes(end - begin);
  }
  return bytes;
}

Range Scoreboard::first_missing(Range within) const {
  for (const Range& range : ranges_) {
    if (range.end <= within.begin) continue;
    if (range.begin > within.begin) return {within.begin, std::min(range.begin, within.end)};
    within.begin = std::min(range.end, within.end);
  }
  return within;
}

Range Scoreboard::last_missing(Range within) const {
  for (auto range = ranges_.rbegin(); range != ranges_.rend(); ++range) {
    if (range->begin >= within.end) continue;
    if (range->end < within.end) return {std::max(range->end, within.begin), within.end};
    within.end = std::max(range->begin, within.begin);
  }
  return within;
}

}  // namespace morgana::tcp
