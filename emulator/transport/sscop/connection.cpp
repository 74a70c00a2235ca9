#include "emulator/transport/sscop/connection.h"

namespace morgana {

SscopCounters& SscopCounters::operator+=(const SscopCounters& other) {
  data += other.data;
  again_by_stat += other.again_by_stat;
  again_by_ustat += other.again_by_ustat;
  suppressed += other.suppressed;
  polls += other.polls;
  stats += other.stats;
  ustats += other.ustats;
  duplicates += other.duplicates;
  frames_lost += other.frames_lost;
  cells += other.cells;
  user_bytes += other.user_bytes;
  given_up += other.given_up;
  return *this;
}

}  // namespace morgana

namespace morgana::sscop {
namespace {

/// The share of all cells' octets that carries nothing new for the user.
double overhead(const SscopCounters& counters) {
  const double octets = 53 * static_cast<double>(counters.cells);
  return octets > 0 ? 1 - static_cast<double>(counters.user_bytes) / octets : 0;
}

}  // namespace

void Connection::begin_anew(const SscopParameters& parameters) {
  counters = total(*this);
  sender = Sender(parameters.first, parameters.window);
  receiver = Receiver(parameters.first, parameters.window, parameters.longest_list);
  ++incarnation;
  for (LazyTimer* each : {&poll, &keep_alive, &no_response, &idle}) each->clear();
}

Connection open_connection(CellNetwork& network, HostId from, HostId to, const SscopParameters& parameters) {
  const auto contract = TrafficContract::of(parameters.category);
  const auto port = [](HostId host) { return static_cast<PortId>(host); };
  return {from,
          to,
          network.open(port(from), port(to), contract),
          network.open(port(to), port(from), contract),
          Sender(parameters.first, parameters.window),
          Receiver(parameters.first, parameters.window, parameters.longest_list)};
}

SscopCounters total(const Connection& connection) {
  const SenderCounters& sender = connection.sender.counters();
  const ReceiverCounters& receiver = connection.receiver.counters();
  SscopCounters all = connection.counters;
  all += {.data = sender.data,
          .again_by_stat = sender.again_by_stat,
          .again_by_ustat = sender.again_by_ustat,
          .suppressed = sender.suppressed,
          .polls = sender.polls,
          .stats = receiver.stats,
          .ustats = receiver.ustats,
          .duplicates = receiver.duplicates};
  return all;
}

SscopCounters total(const std::deque<Connection>& connections) {
  SscopCounters sum;
  for (const Connection& connection : connections) sum += total(connection);
  return sum;
}

std::vector<CounterTable> tables_of(const std::deque<Connection>& connections) {
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  CounterTable table{"SSCOP connections",
                     {{"from host"},
                      {"to host"},
                      {"frames"},
                      {"again by STAT"},
                      {"again by USTAT"},
                      {"suppressed"},
                      {"POLL"},
                      {"STAT"},
                      {"USTAT"},
                      {"useless frames"},
                      {"frames lost"},
                      {"cells"},
                      {"user bytes"},
                      {"given up"},
                      {"overhead", true}},
                     {}};
  std::vector<ConnectionLatency> latencies;
  for (const Connection& connection : connections) {
    const SscopCounters all = total(connection);
    table.rows.push_back(
        {static_cast<std::int64_t>(index(connection.from)), static_cast<std::int64_t>(index(connection.to)),
         count(all.data), count(all.again_by_stat), count(all.again_by_ustat), count(all.suppressed),
         count(all.polls), count(all.stats), count(all.ustats), count(all.duplicates), count(all.frames_lost),
         count(all.cells), count(all.user_bytes), count(all.given_up), overhead(all)});
    latencies.push_back({connection.from, connection.to, &connection.latency});
  }
  return {table, latency_table("SSCOP latency", latencies)};
}

}  // namespace morgana::sscop
