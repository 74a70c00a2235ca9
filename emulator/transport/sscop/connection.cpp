#include "emulator/transport/sscop/connection.h"

namespace morgana::sscop {

SscopCounters total(const Connection& connection) {
  const assured::PathCounters frames = connection.over_all_paths();
  SscopCounters all{connection.counters, frames.lost, frames.cells};
  all.add(connection.sender.counters(), connection.receiver.counters());
  return all;
}

SscopCounters total(const std::deque<Connection>& connections) {
  SscopCounters sum;
  for (const Connection& connection : connections) {
    const SscopCounters all = total(connection);
    sum += all;
    sum.frames_lost += all.frames_lost;
    sum.cells += all.cells;
  }
  return sum;
}

std::vector<CounterTable> tables_of(const std::deque<Connection>& connections) {
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  CounterTable table{"SSCOP connections",
                     {{"from host"},
                      {"to host"},
                      {"frames"},
                      {.name = "again by STAT", .trouble = true},
                      {.name = "again by USTAT", .trouble = true},
                      {"suppressed"},
                      {"POLL"},
                      {"STAT"},
                      {"USTAT"},
                      {"useless frames"},
                      {.name = "frames lost", .trouble = true},
                      {"cells"},
                      {"user bytes"},
                      {.name = "given up", .trouble = true},
                      {"overhead", true}},
                     {}};
  std::vector<ConnectionLatency> latencies;
  for (const Connection& connection : connections) {
    const SscopCounters all = total(connection);
    table.rows.push_back({static_cast<std::int64_t>(index(connection.from)),
                          static_cast<std::int64_t>(index(connection.to)), count(all.data),
                          count(all.again_by_stat), count(all.again_by_ustat), count(all.suppressed),
                          count(all.polls), count(all.stats), count(all.ustats), count(all.duplicates),
                          count(all.frames_lost), count(all.cells), count(all.user_bytes),
                          count(all.given_up), assured::overhead(all.cells, all.user_bytes)});
    latencies.push_back({connection.from, connection.to, &connection.latency});
  }
  return {table, latency_table("SSCOP latency", latencies)};
}

}  // namespace morgana::sscop
