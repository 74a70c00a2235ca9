#include "emulator/report/limits/critical_path.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <set>

namespace morgana {
namespace {

SimTime& of(std::array<SimTime, path_kinds>& times, PathKind kind) {
  return times[static_cast<std::size_t>(kind)];
}

bool is_poll(const Operation& operation) {
  return operation.kind == OperationKind::test || operation.kind == OperationKind::test_probe;
}

/// The length of what two stretches of time have in common.
SimTime common(SimTime begin, SimTime end, SimTime other_begin, SimTime other_end) {
  return std::max(std::min(end, other_end) - std::max(begin, other_begin), SimTime());
}

CriticalPath::Step message_of(const Release& release) {
  CriticalPath::Step step{release.who, release.by, release.ready, release.at, {}, true, release.carried};
  const SimTime time = release.at - release.ready;
  if (release.in_memory) {
    of(step.times, PathKind::host) = time;
  } else {
    const SimTime timers = std::min(release.timer_wait, time), wire = std::min(release.wire, time - timers);
    of(step.times, PathKind::retransmission) = timers;
    of(step.times, PathKind::wire) = wire;
    of(step.times, PathKind::protocol) = time - timers - wire;
  }
  return step;
}

}  // namespace

std::string_view name_of(PathKind kind) {
  constexpr std::string_view names[] = {"computing", "host", "protocol", "wire", "retransmission", "waiting"};
  return names[static_cast<std::size_t>(kind)];
}

SimTime PathTimes::total() const {
  return std::accumulate(begin(), end(), SimTime());
}

std::uint64_t CriticalPath::messages() const {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(steps, [](const Step& step) { return step.message && step.who != step.from; }));
}

std::size_t CriticalPath::ranks() const {
  std::set<Rank> ranks;
  for (const Step& step : steps)
    if (!step.message && step.end > step.begin) ranks.insert(step.who.rank);
  return ranks.size();
}

double PathTimes::gain_of_half(PathKind kind) const {
  return total() > SimTime() ? static_cast<double>(time(kind).ps()) / (2 * static_cast<double>(total().ps()))
                             : 0;
}

CriticalPathRecorder::Lane& CriticalPathRecorder::lane(Actor actor) {
  if (index(actor.rank) >= lanes_.size()) lanes_.resize(index(actor.rank) + 1);
  return lanes_[index(actor.rank)][actor.besides ? 1 : 0];
}

bool CriticalPathRecorder::has_space() {
  if (!has_path()) return false;
  ++kept_;
  if (!has_path()) {
    for (auto& lanes : lanes_)
      for (Lane& one : lanes) one = Lane();
  }
  return has_path();
}

void CriticalPathRecorder::operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                                           std::span<const Completed> completed) {
  if (!has_path()) return;
  Lane& mine = lane({rank});
  mine.polls = is_poll(operation) && completed.empty();
  if (mine.polls) mine.polled_since = begin;
  const bool idle =
      operation.kind == OperationKind::sleep || (operation.kind == OperationKind::wait && completed.empty());
  if (!mine.calls.empty() && mine.calls.back().end == begin && mine.calls.back().idle == idle)
    mine.calls.back().end = end;
  else if (has_space())
    mine.calls.push_back({begin, end, operation.interrupted + operation.polled, idle});
}

void CriticalPathRecorder::released(const Release& release) {
  if (!has_path()) return;
  Lane& mine = lane(release.who);
  if (release.polled && (!mine.polls || release.at <= mine.polled_since)) return;
  const auto place = std::ranges::upper_bound(mine.releases, release.at, {},
                                              [](const Numbered& one) { return one.release.at; });
  if (has_space()) mine.releases.insert(place, {release, ++releases_});
}

/// Time never moves forward on the way back; where it stands still, the numbers fall.
const CriticalPathRecorder::Numbered* CriticalPathRecorder::last_release(Actor actor, SimTime until,
                                                                         std::uint64_t before) const {
  if (index(actor.rank) >= lanes_.size()) return nullptr;
  const auto& releases = lanes_[index(actor.rank)][actor.besides ? 1 : 0].releases;
  auto place =
      std::ranges::upper_bound(releases, until, {}, [](const Numbered& one) { return one.release.at; });
  while (place != releases.begin()) {
    --place;
    if (place->release.at < until || place->number < before) return &*place;
  }
  return nullptr;
}

CriticalPath::Step CriticalPathRecorder::stretch(Actor actor, SimTime begin, SimTime end) const {
  CriticalPath::Step step{actor, actor, begin, end, {}, false};
  if (actor.besides) {
    of(step.times, PathKind::host) = end - begin;
    return step;
  }
  const std::vector<Calls>& calls = lanes_[index(actor.rank)][0].calls;
  auto now = std::ranges::upper_bound(calls, begin, {}, &Calls::end);
  SimTime before = now == calls.begin() ? SimTime() : std::prev(now)->end;
  for (; now != calls.end() && before < end; ++now) {
    const SimTime between = common(begin, end, before, now->begin);
    const SimTime computing = std::min(between, std::max(now->begin - before - now->host, SimTime()));
    of(step.times, PathKind::computing) += computing;
    of(step.times, PathKind::host) += between - computing;
    of(step.times, now->idle ? PathKind::waiting : PathKind::host) +=
        common(begin, end, now->begin, now->end);
    before = now->end;
  }
  return step;
}

CriticalPath CriticalPathRecorder::path(std::size_t services) const {
  Actor who;
  SimTime at;
  for (std::size_t rank = services; rank < lanes_.size(); ++rank)
    if (const auto& calls = lanes_[rank][0].calls; !calls.empty() && calls.back().end > at) {
      at = calls.back().end;
      who.rank = Rank{static_cast<std::int32_t>(rank)};
    }
  CriticalPath path;
  std::uint64_t before = std::numeric_limits<std::uint64_t>::max();
  while (at > SimTime()) {
    const Numbered* last = last_release(who, at, before);
    const SimTime begin = last == nullptr ? SimTime() : last->release.at;
    path.steps.push_back(stretch(who, begin, at));
    if (last == nullptr) break;
    path.steps.push_back(message_of(last->release));
    who = last->release.by;
    at = last->release.ready;
    before = last->number;
  }
  std::ranges::reverse(path.steps);
  for (const CriticalPath::Step& step : path.steps)
    for (std::size_t kind = 0; kind < path_kinds; ++kind) path.times[kind] += step.times[kind];
  return path;
}

}  // namespace morgana
