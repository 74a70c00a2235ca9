#include "emulator/core/event_lines.h"

#include <algorithm>

namespace morgana {

EventLines::EventLines() {
  heads_.fill(nothing);
  for (std::size_t match = 2 * lines; match-- > 1;)
    winners_[match] = match >= lines ? static_cast<std::uint8_t>(match - lines) : winners_[2 * match];
}

void EventLines::Line::grow() {
  const auto start = static_cast<std::ptrdiff_t>(first & mask);
  std::rotate(ring.begin(), ring.begin() + start, ring.end());
  end -= first;
  first = 0;
  ring.resize(std::max<std::size_t>(2 * ring.size(), 16));
  mask = ring.size() - 1;
}

/// A delay that does not come twice within a while gets none: a single event far ahead would keep others from
/// a line for long.
EventLines::Line* EventLines::new_line_for(Kind kind, Line& one, Line& other) {
  for (Line* const line : {&one, &other}) {
    if (line->candidate == kind && line->empty()) {
      line->kind = kind;
      return line;
    }
  }
  one.candidate = other.candidate = kind;
  return nullptr;
}

}  // namespace morgana
