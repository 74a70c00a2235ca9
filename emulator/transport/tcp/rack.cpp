#include "emulator/transport/tcp/rack.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "emulator/transport/tcp/scoreboard.h"

namespace morgana::tcp {

void Rack::sent(Range data, SimTime now) {
  segments_.push_back({.data = data, .at = now});
}

void Rack::repeated(Place begin, SimTime now) {
  const auto segment =
      std::ranges::lower_bound(segments_, begin, {}, [](const Sent& sent) { return sent.data.begin; });
  if (segment->lost) lost_ -= segment->data.size();
  *segment = {.data = segment->data, .at = now, .repeated = true};
}

void Rack::measured(SimTime took) {
  shortest_ = shortest_ == SimTime() ? took : std::min(shortest_, took);
}

void Rack::cut() {
  for (Sent& segment : segments_) segment.since_cut = false;
}

/// Of several that one acknowledgement reports, the round trip is that of the one sent last, and none has
/// been overtaken by another: their order does not matter.
void Rack::comes(Sent& segment, SimTime now, bool echo_is_older) {
  if (std::exchange(segment.lost, false)) lost_ -= segment.data.size();
  if (segment.data.end < highest_before_ && !segment.repeated) reordering_seen_ = true;
  highest_ = std::max(highest_, segment.data.end);
  if (segment.repeated && (echo_is_older || now - segment.at < shortest_)) return;
  if (segment.at >= newest_at_) {
    newest_at_ = segment.at;
    round_trip_ = now - segment.at;
  }
  if (has_latest_ && latest_was_sent_after(segment)) return;
  has_latest_ = true;
  latest_at_ = segment.at;
  latest_end_ = segment.data.end;
}

void Rack::acknowledged(SimTime now, const Segment& by, std::optional<SimTime> echo) {
  newest_at_ = SimTime();
  highest_before_ = highest_;
  while (!segments_.empty() && segments_.front().data.end <= by.expected) {
    Sent& segment = segments_.front();
    if (segment.selective)
      --selective_;
    else
      comes(segment, now, echo && *echo < segment.at);
    segments_.pop_front();
  }
  for (std::size_t n = 0; n < by.blocks.count; ++n) {
    const Range& block = by.blocks.ranges[n];
    auto segment = std::ranges::lower_bound(segments_, block.begin, {},
                                            [](const Sent& sent) { return sent.data.begin; });
    for (; segment != segments_.end() && segment->data.end <= block.end; ++segment) {
      if (std::exchange(segment->selective, true)) continue;
      ++selective_;
      comes(*segment, now, false);
    }
  }
}

bool Rack::latest_was_sent_after(const Sent& segment) const {
  return latest_at_ > segment.at || (latest_at_ == segment.at && latest_end_ > segment.data.end);
}

void Rack::lose(Sent& segment) {
  segment.lost = true;
  lost_ += segment.data.size();
}

Rack::Found Rack::detect(SimTime now, bool repairing, SimTime smoothed) {
  window_ = std::min(SimTime::from_ps(shortest_.ps() / 4), smoothed);
  if (!reordering_seen_ && (repairing || selective_ >= Scoreboard::threshold)) window_ = SimTime();
  reordering_ends_.reset();
  Found found;
  if (!has_latest_) return found;
  for (Sent& segment : segments_) {
    // All that was sent for the first time later lies behind it, and what went again later still.
    if (!segment.repeated && !latest_was_sent_after(segment)) break;
    if (segment.selective || segment.lost || !latest_was_sent_after(segment)) continue;
    const SimTime ends = segment.at + round_trip_ + window_;
    if (ends <= now) {
      lose(segment);
      found.any = true;
      found.since_cut |= segment.since_cut;
    } else {
      reordering_ends_ = std::max(reordering_ends_.value_or(ends), ends);
    }
  }
  return found;
}

void Rack::timed_out(SimTime now) {
  for (Sent& segment : segments_) {
    const bool oldest = &segment == &segments_.front();
    if (segment.selective || segment.lost) continue;
    if (oldest || segment.at + round_trip_ + window_ <= now) lose(segment);
  }
  reordering_ends_.reset();
}

std::optional<Range> Rack::first_lost() const {
  if (lost_ == Bytes()) return std::nullopt;
  return std::ranges::find(segments_, true, &Sent::lost)->data;
}

}  // namespace morgana::tcp
