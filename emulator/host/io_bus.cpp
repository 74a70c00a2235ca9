#include "emulator/host/io_bus.h"

#include <algorithm>
#include <map>

#include "emulator/core/end_of_time.h"
#include "emulator/core/event_number.h"

namespace morgana {
namespace {

std::int64_t transactions_of(Bytes size, Bytes unit) {
  return std::max<std::int64_t>((size.count() - 1) / unit.count() + 1, 1);
}

}  // namespace

void IoBus::transfer(HostId at, Master master, Bytes size, IoBusUser& user, std::uint64_t what) {
  const auto number = static_cast<std::uint32_t>(at);
  Host& host = hosts_.try_emplace(number).first.value();
  const auto asking = static_cast<std::size_t>(master);
  host.line[asking].push_back({size, &user, what});
  ++host.transfers[asking];
  if (host.granted == 0) return grant_next(number);
  if (asking == host.master || host.granted == 1) return;
  // The arbiter had no other master to think of; now the one that has the bus keeps it for the transaction
  // that is under way, or that begins at this moment.
  const SimTime one = parameters_.overhead + parameters_.rate.time_for(unit_of(host.master));
  const std::int64_t begun = (events_.now() - host.began).ps() / std::max<std::int64_t>(one.ps(), 1) + 1;
  if (begun >= host.granted) return;
  host.granted = begun;
  schedule_end(number, host);
}

/// Of the first `transactions` of a transfer that has `left` to go.
SimTime IoBus::time_of(std::size_t master, Bytes left, std::int64_t transactions) const {
  const Bytes unit = unit_of(master);
  const __int128 full = (parameters_.overhead + parameters_.rate.time_for(unit)).ps();
  if (transactions < transactions_of(left, unit)) return time_before_end(full * transactions);
  const Bytes last(left.count() - unit.count() * (transactions - 1));
  return time_before_end(full * (transactions - 1) +
                         (parameters_.overhead + parameters_.rate.time_for(last)).ps());
}

void IoBus::grant_next(std::uint32_t number) {
  Host& host = hosts_.find(number).value();
  std::size_t waiting = 0;
  for (const auto& line : host.line)
    if (!line.empty()) ++waiting;
  host.granted = 0;
  if (waiting == 0) return;
  do host.master = (host.master + 1) % masters;
  while (host.line[host.master].empty());
  host.granted = waiting > 1 ? 1 : transactions_of(host.line[host.master].front().left, unit_of(host.master));
  host.began = events_.now();
  schedule_end(number, host);
}

void IoBus::schedule_end(std::uint32_t number, Host& host) {
  const SimTime takes = time_of(host.master, host.line[host.master].front().left, host.granted);
  events_.schedule(time_before_end(host.began + takes), *this, EventNumber{++host.grant, number}.packed());
}

void IoBus::handle(std::uint64_t what) {
  const auto [grant, number] = EventNumber::unpacked(what);
  Host& host = hosts_.find(number).value();
  if (host.grant != grant) return;  // it was cut short
  host.busy += events_.now() - host.began;
  auto& line = host.line[host.master];
  Transfer& first = line.front();
  const std::int64_t moved = unit_of(host.master).count() * host.granted;
  if (first.left.count() > moved) {
    first.left = first.left - Bytes(moved);
    return grant_next(number);
  }
  const Transfer ended = first;
  line.pop_front();
  grant_next(number);
  ended.user->transferred(ended.what);
}

CounterTable IoBus::counted() const {
  CounterTable table;
  table.title = "I/O buses";
  table.columns = {{"host"}, {"written"}, {"fetched"}, {"put into memory"}, {"busy (us)"}};
  constexpr double us_per_s = 1e6;
  const std::map<std::uint32_t, Host> in_order(hosts_.begin(), hosts_.end());
  for (const auto& [number, host] : in_order)
    table.rows.push_back({static_cast<std::int64_t>(number), host.transfers[0], host.transfers[1],
                          host.transfers[2], host.busy.seconds() * us_per_s});
  return table;
}

}  // namespace morgana
