#include "emulator/transport/pcaal/connection.h"

namespace morgana::pcaal {

PcAalCounters total(const Connection& connection) {
  const assured::PathCounters cells = connection.over_all_paths();
  PcAalCounters all{connection.counters,
                    connection.past_stat_cells + connection.receiver.counters().stat_cells, cells.lost,
                    cells.cells};
  all.add(connection.sender.counters(), connection.receiver.counters());
  return all;
}

PcAalCounters total(const std::deque<Connection>& connections) {
  PcAalCounters sum;
  for (const Connection& connection : connections) {
    const PcAalCounters all = total(connection);
    sum += all;
    sum.stat_cells += all.stat_cells;
    sum.cells_lost += all.cells_lost;
    sum.cells += all.cells;
  }
  return sum;
}

std::vector<CounterTable> tables_of(const std::deque<Connection>& connections) {
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  CounterTable table{"PC-AAL connections",
                     {{"from host"},
                      {"to host"},
                      {"data cells"},
                      {.name = "again by STAT", .trouble = true},
                      {.name = "again by USTAT", .trouble = true},
                      {"suppressed"},
                      {"POLL"},
                      {"STAT"},
                      {"STAT cells"},
                      {"USTAT"},
                      {"useless cells"},
                      {.name = "cells lost", .trouble = true},
                      {"cells"},
                      {"user bytes"},
                      {.name = "given up", .trouble = true},
                      {"overhead", true}},
                     {}};
  std::vector<ConnectionLatency> latencies;
  for (const Connection& connection : connections) {
    const PcAalCounters all = total(connection);
    table.rows.push_back(
        {static_cast<std::int64_t>(index(connection.from)), static_cast<std::int64_t>(index(connection.to)),
         count(all.data), count(all.again_by_stat), count(all.again_by_ustat), count(all.suppressed),
         count(all.polls), count(all.stats), count(all.stat_cells), count(all.ustats), count(all.duplicates),
         count(all.cells_lost), count(all.cells), count(all.user_bytes), count(all.given_up),
         assured::overhead(all.cells, all.user_bytes)});
    latencies.push_back({connection.from, connection.to, &connection.latency});
  }
  return {table, latency_table("PC-AAL latency", latencies)};
}

}  // namespace morgana::pcaal
