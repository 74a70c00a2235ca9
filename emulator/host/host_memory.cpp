#include "emulator/host/host_memory.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <utility>

#include "emulator/core/end_of_time.h"

namespace morgana {
namespace {

// Time alone is counted in fs times this, so that shares of whole bytes a second make whole numbers: 10^12 ps
// are a second, and 6 is divided by the traffic of 1 to 3 bytes for each.
constexpr std::int64_t scale = 6'000'000'000'000;
constexpr __int128 full_speed = __int128{1000} * scale;

/// Of what many copies may bring.
std::int64_t sum_or_largest(std::int64_t one, std::int64_t other) {
  std::int64_t sum = 0;
  return __builtin_add_overflow(one, other, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

SimTime sum_or_largest(SimTime one, SimTime other) {
  return SimTime::from_ps(sum_or_largest(one.ps(), other.ps()));
}

}  // namespace

void HostMemory::ranks_are_on(std::span<const HostId> hosts, std::span<const MemoryWork> kinds) {
  Wide most = 0;  // of one processor
  for (const MemoryWork& work : kinds)
    if (work.cost > ByteCost()) most = std::max<Wide>(most, own_rate(work.cost, work.traffic));
  std::map<std::uint32_t, std::int64_t> ranks;
  for (const HostId host : hosts) ++ranks[static_cast<std::uint32_t>(host)];
  knows_ranks_ = true;
  shared_.clear();
  for (const auto& [host, count] : ranks)
    if (most * 2 * count > bytes_per_second()) shared_.insert(host);
}

/// Bytes of traffic a second, of a processor alone.
std::int64_t HostMemory::own_rate(ByteCost cost, std::uint32_t traffic) {
  constexpr std::int64_t fs_in_a_second = 1'000'000'000'000'000;
  return fs_in_a_second / cost.fs() * traffic + fs_in_a_second % cost.fs() * traffic / cost.fs();
}

CopyId HostMemory::begin(HostId at, const MemoryWork& work, MemoryUser& user, std::uint64_t what) {
  assert(work.cost > ByteCost() && work.traffic >= 1 && work.traffic <= 3);
  const auto number = static_cast<std::uint32_t>(at);
  Host& host = hosts_.try_emplace(number).first.value();
  settle(host);
  const SimTime alone = time_before_end(events_.now() + time_before_end(work.cost, work.bytes));
  const Wide fs = static_cast<Wide>(work.bytes.count()) * work.cost.fs();
  const CopyId id{++begun_};
  host.copies.push_back({fs * scale, full_speed, work, &user, what, id, alone});
  end_if_done(host.copies.back());
  ++host.done;
  host.bytes = sum_or_largest(host.bytes, work.bytes.count());
  share(host);
  expect_end(number, host);
  return id;
}

void HostMemory::cancel(HostId at, CopyId copy) {
  const auto number = static_cast<std::uint32_t>(at);
  Host& host = hosts_.find(number).value();
  settle(host);
  [[maybe_unused]] const std::size_t cancelled =
      std::erase_if(host.copies, [copy](const Copy& one) { return one.id == copy; });
  assert(cancelled == 1);
  share(host);
  expect_end(number, host);
}

/// To the nearest picosecond.
void HostMemory::end_if_done(Copy& copy) {
  if (2 * copy.left < copy.speed) copy.left = 0;
}

/// What has been done up to now is done.
void HostMemory::settle(Host& host) const {
  const std::int64_t ps = (events_.now() - host.settled).ps();
  host.settled = events_.now();
  if (ps == 0) return;
  for (Copy& copy : host.copies) {
    copy.left -= copy.speed * ps;
    end_if_done(copy);
  }
  if (host.is_at_limit) host.at_limit += SimTime::from_ps(ps);
}

/// Those that can't use an equal share of what the others leave have what they can use, until that is so for
/// no other.
void HostMemory::share(Host& host) const {
  Wide left = bytes_per_second();
  std::int64_t sharing = std::ssize(host.copies);
  for (Copy& copy : host.copies) copy.speed = 0;
  for (bool changes = true; changes && sharing > 0;) {
    const Wide equal = std::max<Wide>(left / sharing, 1);
    changes = false;
    for (Copy& copy : host.copies) {
      if (copy.speed > 0) continue;
      if (equal * copy.work.cost.fs() * (6 / copy.work.traffic) < full_speed) continue;
      copy.speed = full_speed;
      left -= own_rate(copy.work.cost, copy.work.traffic);
      --sharing;
      changes = true;
    }
  }
  host.is_at_limit = sharing > 0;
  if (!host.is_at_limit) return;
  const Wide equal = std::max<Wide>(left / sharing, 1);
  for (Copy& copy : host.copies)
    if (copy.speed == 0) copy.speed = equal * copy.work.cost.fs() * (6 / copy.work.traffic);
}

/// Copies that begin later only make the others end later: an event before that looks again.
void HostMemory::expect_end(std::uint32_t number, Host& host) {
  if (host.copies.empty()) return;
  Wide first = std::numeric_limits<std::int64_t>::max();
  for (const Copy& copy : host.copies)
    first = std::min(first,
                     copy.left == 0 ? 0 : std::max((2 * copy.left + copy.speed) / (2 * copy.speed), Wide{1}));
  const SimTime end = time_before_end(first + events_.now().ps());
  if (host.expected <= end) return;
  host.expected = end;
  events_.schedule(end, *this, number);
}

void HostMemory::handle(std::uint64_t what) {
  const auto number = static_cast<std::uint32_t>(what);
  Host& host = hosts_.find(number).value();
  if (host.expected == events_.now()) host.expected = SimTime::max();
  settle(host);
  std::vector<Copy> ended = std::exchange(ended_, {});
  std::erase_if(host.copies, [&](const Copy& copy) {
    if (copy.left > 0) return false;
    ended.push_back(copy);
    return true;
  });
  if (!ended.empty()) share(host);
  expect_end(number, host);
  for (const Copy& copy : ended) host.slowed = sum_or_largest(host.slowed, events_.now() - copy.alone);
  for (const Copy& copy : ended) copy.user->memory_done(copy.what, copy.id);
  ended.clear();
  ended_ = std::move(ended);
}

CounterTable HostMemory::counted() const {
  CounterTable table;
  table.title = "memories";
  table.columns = {{"host"}, {"copies"}, {"bytes"}, {"at its limit (us)"}, {"copies slowed by (us)"}};
  constexpr double us_per_s = 1e6;
  const std::map<std::uint32_t, Host> in_order(hosts_.begin(), hosts_.end());
  for (const auto& [number, host] : in_order)
    table.rows.push_back({static_cast<std::int64_t>(number), host.done, host.bytes,
                          host.at_limit.seconds() * us_per_s, host.slowed.seconds() * us_per_s});
  return table;
}

SimTime HostMemory::slowed() const {
  SimTime all;
  for (const auto& [number, host] : hosts_) all = sum_or_largest(all, host.slowed);
  return all;
}

SimTime HostMemory::longest_at_limit() const {
  SimTime longest;
  for (const auto& [number, host] : hosts_) longest = std::max(longest, host.at_limit);
  return longest;
}

}  // namespace morgana
