#include "emulator/transport/ece/counters.h"

#include <array>
#include <string>

#include "emulator/transport/ece/connection.h"

namespace morgana {

EceCounters& EceCounters::operator+=(const EceCounters& other) {
  Counters::operator+=(other);
  late += other.late;
  lstats += other.lstats;
  changes += other.changes;
  missing += other.missing;
  for (std::size_t number = 0; number < path.size(); ++number) path[number] += other.path[number];
  return *this;
}

}  // namespace morgana

namespace morgana::ece {
namespace {

constexpr std::array all_paths{Path::ordinary, Path::backup, Path::feedback, Path::clock};

std::string name_of(Path path) {
  constexpr std::array names{"UBR", "ABR", "VBR", "CBR"};
  return names[number_of(path)];
}

std::int64_t count(std::uint64_t value) {
  return static_cast<std::int64_t>(value);
}

std::int64_t host_number(HostId host) {
  return static_cast<std::int64_t>(index(host));
}

CounterTable connections_table(const std::deque<Connection>& connections, SimTime now) {
  CounterTable table{"ECE connections",
                     {{"from host"},
                      {"to host"},
                      {"data cells"},
                      {.name = "again by STAT", .trouble = true},
                      {.name = "again by USTAT", .trouble = true},
                      {.name = "again by mode change", .trouble = true},
                      {"suppressed"},
                      {"mode changes"},
                      {"in high mode (s)"},
                      {"missing LME"},
                      {"POLL"},
                      {"STAT"},
                      {"LSTAT"},
                      {"USTAT"},
                      {"useless cells"},
                      {"user bytes"},
                      {.name = "given up", .trouble = true}},
                     {}};
  for (const Connection& connection : connections) {
    const EceCounters all = total(connection);
    SimTime high = connection.high_for;
    if (connection.sender.mode() == LatencyMode::high) high += now - connection.high_since;
    table.rows.push_back({host_number(connection.from), host_number(connection.to), count(all.data),
                          count(all.again_by_stat), count(all.again_by_ustat), count(all.late),
                          count(all.suppressed), count(all.changes), high.seconds(), count(all.missing),
                          count(all.polls), count(all.stats), count(all.lstats), count(all.ustats),
                          count(all.duplicates), count(all.user_bytes), count(all.given_up)});
  }
  return table;
}

/// Bandwidth counts all 53 octets of each cell; resource management cells of ABR are the network's.
CounterTable categories_table(const std::deque<Connection>& connections, SimTime now) {
  CounterTable table{"ECE categories",
                     {{"from host"},
                      {"to host"},
                      {"category"},
                      {"cells"},
                      {"carried"},
                      {"SD"},
                      {"share of SD", true},
                      {"sent (kb/s)"},
                      {"carried (kb/s)"}},
                     {}};
  const double seconds = now.seconds();
  const auto rate = [&](std::uint64_t cells) {
    return seconds > 0 ? static_cast<double>(cells) * 0.424 / seconds : 0.0;
  };
  for (const Connection& connection : connections) {
    double data = 0;
    for (const Path path : all_paths) data += static_cast<double>(connection.carried[number_of(path)].data);
    for (const Path path : all_paths) {
      const assured::PathCounters& all = connection.carried[number_of(path)];
      if (all.cells == 0) continue;
      table.rows.push_back({host_number(connection.from), host_number(connection.to), name_of(path),
                            count(all.cells), count(all.carried), count(all.data),
                            data > 0 ? static_cast<double>(all.data) / data : 0.0, rate(all.cells),
                            rate(all.carried)});
    }
  }
  return table;
}

}  // namespace

std::vector<CounterTable> tables_of(const std::deque<Connection>& connections, SimTime now) {
  std::vector<CounterTable> tables{connections_table(connections, now), categories_table(connections, now)};
  std::vector<ConnectionLatency> messages;
  for (const Connection& connection : connections)
    messages.push_back({connection.from, connection.to, &connection.latency});
  tables.push_back(latency_table("ECE latency", messages));
  for (const Path path : all_paths) {
    std::vector<ConnectionLatency> cells;
    for (const Connection& connection : connections)
      if (const LatencyClasses& latency = connection.cell_latency[number_of(path)]; latency.messages() > 0)
        cells.push_back({connection.from, connection.to, &latency});
    if (!cells.empty()) tables.push_back(latency_table("ECE cell latency " + name_of(path), cells, "cells"));
  }
  return tables;
}

}  // namespace morgana::ece
