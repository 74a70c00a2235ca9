#include "emulator/transport/pcaal/connection.h"

namespace morgana {

PcAalCounters& PcAalCounters::operator+=(const PcAalCounters& other) {
  data += other.data;
  again_by_stat += other.again_by_stat;
  again_by_ustat += other.again_by_ustat;
  suppressed += other.suppressed;
  polls += other.polls;
  stats += other.stats;
  stat_cells += other.stat_cells;
  ustats += other.ustats;
  duplicates += other.duplicates;
  cells_lost += other.cells_lost;
  cells += other.cells;
  user_bytes += other.user_bytes;
  given_up += other.given_up;
  return *this;
}

}  // namespace morgana

namespace morgana::pcaal {
namespace {

/// The share of all cells' octets that carries nothing new for the user.
double overhead(const PcAalCounters& counters) {
  const double octets = 53 * static_cast<double>(counters.cells);
  return octets > 0 ? 1 - static_cast<double>(counters.user_bytes) / octets : 0;
}

}  // namespace

void Connection::begin_anew(const PcAalParameters& parameters) {
  counters = total(*this);
  sender = Sender(parameters.first, parameters.window);
  receiver = Receiver(parameters.first, parameters.window);
  ++incarnation;
  poll.clear();
  no_response.clear();
}

Connection open_connection(CellNetwork& network, HostId from, HostId to, const PcAalParameters& parameters) {
  const auto contract = TrafficContract::of(parameters.category);
  const auto port = [](HostId host) { return static_cast<PortId>(host); };
  return {from,
          to,
          network.open(port(from), port(to), contract),
          network.open(port(to), port(from), contract),
          Sender(parameters.first, parameters.window),
          Receiver(parameters.first, parameters.window)};
}

PcAalCounters total(const Connection& connection) {
  const SenderCounters& sender = connection.sender.counters();
  const ReceiverCounters& receiver = connection.receiver.counters();
  PcAalCounters all = connection.counters;
  all += {.data = sender.data,
          .again_by_stat = sender.again_by_stat,
          .again_by_ustat = sender.again_by_ustat,
          .suppressed = sender.suppressed,
          .polls = sender.polls,
          .stats = receiver.stats,
          .stat_cells = receiver.stat_cells,
          .ustats = receiver.ustats,
          .duplicates = receiver.duplicates};
  return all;
}

PcAalCounters total(const std::deque<Connection>& connections) {
  PcAalCounters sum;
  for (const Connection& connection : connections) sum += total(connection);
  return sum;
}

std::vector<CounterTable> tables_of(const std::deque<Connection>& connections) {
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  CounterTable table{"PC-AAL connections",
                     {{"from host"},
                      {"to host"},
                      {"data cells"},
                      {"again by STAT"},
                      {"again by USTAT"},
                      {"suppressed"},
                      {"POLL"},
                      {"STAT"},
                      {"STAT cells"},
                      {"USTAT"},
                      {"useless cells"},
                      {"cells lost"},
                      {"cells"},
                      {"user bytes"},
                      {"given up"},
                      {"overhead", true}},
                     {}};
  std::vector<ConnectionLatency> latencies;
  for (const Connection& connection : connections) {
    const PcAalCounters all = total(connection);
    table.rows.push_back(
        {static_cast<std::int64_t>(index(connection.from)), static_cast<std::int64_t>(index(connection.to)),
         count(all.data), count(all.again_by_stat), count(all.again_by_ustat), count(all.suppressed),
         count(all.polls), count(all.stats), count(all.stat_cells), count(all.ustats), count(all.duplicates),
         count(all.cells_lost), count(all.cells), count(all.user_bytes), count(all.given_up), overhead(all)});
    latencies.push_back({connection.from, connection.to, &connection.latency});
  }
  return {table, latency_table("PC-AAL latency", latencies)};
}

}  // namespace morgana::pcaal
