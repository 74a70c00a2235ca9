#include "emulator/network/smp/bus_traffic.h"

#include <algorithm>
#include <cassert>

#include "emulator/core/end_of_time.h"

namespace morgana::smp {

void BusTraffic::begin(std::uint32_t processor, std::int64_t lines, SimTime at) {
  assert(lines > 0);
  const auto place = std::lower_bound(streams_.begin(), streams_.end(), processor,
                                      [](const MissStream& s, std::uint32_t p) { return s.processor < p; });
  assert(place == streams_.end() || place->processor != processor);
  streams_.insert(place, {processor, lines, at});
}

void BusTraffic::grant_before(SimTime until) {
  BusTraffic round_began = *this;
  std::size_t grants = 0;
  SimTime grant;
  while (const MissStream* next = next_granted(grant)) {
    const SimTime bound = std::min(until, next_end());
    if (grant >= bound) return;
    MissStream& stream = streams_[static_cast<std::size_t>(next - streams_.data())];
    // With the miss the line's time on the bus lies before the end of time, too: it is shorter.
    stream.at = time_before_end(__int128{grant.ps()} + costs_.miss.ps() + costs_.work.ps());
    --stream.lines;
    free_ = grant + costs_.occupancy;
    last_ = stream.processor;
    if (++grants < streams_.size()) continue;
    if (same_but_later(round_began)) take_rounds(round_began, std::min(until, next_end()));
    round_began = *this;
    grants = 0;
  }
}

std::vector<std::uint32_t> BusTraffic::take_ended(SimTime until) {
  std::vector<std::uint32_t> ended;
  const SimTime end = next_end();
  if (end > until) return ended;
  std::erase_if(streams_, [&](const MissStream& stream) {
    const bool ends = stream.lines == 0 && stream.at == end;
    if (ends) ended.push_back(stream.processor);
    return ends;
  });
  return ended;
}

SimTime BusTraffic::next_end() const {
  SimTime end = SimTime::max();
  for (const MissStream& stream : streams_)
    if (stream.lines == 0) end = std::min(end, stream.at);
  return end;
}

SimTime BusTraffic::on_the_beat(SimTime at) const {
  return (at + costs_.cycle - SimTime::from_ps(1)) / costs_.cycle * costs_.cycle;
}

/// Of the processors that are ready when the bus is next granted, the first one after the last that had it.
const MissStream* BusTraffic::next_granted(SimTime& grant) const {
  SimTime ready = SimTime::max();
  for (const MissStream& stream : streams_)
    if (stream.lines > 0) ready = std::min(ready, stream.at);
  if (ready == SimTime::max()) return nullptr;
  grant = std::max(free_, on_the_beat(ready));
  const MissStream* next = nullptr;
  // Unsigned: processors at or before the last one come after all others.
  const auto turn = [this](const MissStream& stream) { return stream.processor - last_ - 1; };
  for (const MissStream& stream : streams_)
    if (stream.lines > 0 && stream.at <= grant && (!next || turn(stream) < turn(*next))) next = &stream;
  return next;
}

/// As seen from the bus nothing has changed since then but the lines that are left.
bool BusTraffic::same_but_later(const BusTraffic& earlier) const {
  if (last_ != earlier.last_ || streams_.size() != earlier.streams_.size()) return false;
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (streams_[i].lines == 0 && earlier.streams_[i].lines == 0) continue;
    if (streams_[i].lines == 0 || streams_[i].at - free_ != earlier.streams_[i].at - earlier.free_)
      return false;
  }
  return true;
}

/// What has happened since then happens again, as often as fits before `until` and leaves a line to everyone.
void BusTraffic::take_rounds(const BusTraffic& earlier, SimTime until) {
  const SimTime round = free_ - earlier.free_;
  std::int64_t rounds = until > free_ ? (until - free_) / round : 0;
  for (std::size_t i = 0; i < streams_.size(); ++i)
    if (const std::int64_t taken = earlier.streams_[i].lines - streams_[i].lines; taken > 0)
      rounds = std::min(rounds, (streams_[i].lines - 1) / taken);
  free_ = time_before_end(free_.ps() + __int128{rounds} * round.ps());
  for (std::size_t i = 0; i < streams_.size(); ++i) {
    if (streams_[i].lines == 0) continue;
    streams_[i].lines -= rounds * (earlier.streams_[i].lines - streams_[i].lines);
    streams_[i].at = time_before_end(streams_[i].at.ps() + __int128{rounds} * round.ps());
  }
}

}  // namespace morgana::smp
