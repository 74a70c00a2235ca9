#include "emulator/transport/ece/connection.h"

#include <string>

namespace morgana::ece {
namespace {

Receiver receiver_of(const EceParameters& parameters, SimTime begin) {
  const LatencyMonitor::Limits limits{parameters.upper, parameters.lower, parameters.monitoring,
                                      parameters.missing};
  return {parameters.engine, parameters.first, parameters.window, limits, begin};
}

Sender sender_of(const EceParameters& parameters) {
  return {parameters.engine, parameters.polls, parameters.first, parameters.window};
}

}  // namespace

void Connection::begin_anew(const EceParameters& parameters, SimTime now) {
  counters = total(*this);
  if (sender.mode() == Mode::high) high_for += now - high_since;
  sender = sender_of(parameters);
  receiver = receiver_of(parameters, next_monitoring);
  ++incarnation;
  no_response.clear();
}

Connection open_connection(CellNetwork& network, HostId from, HostId to, std::size_t hosts,
                           const EceParameters& parameters, SimTime now) {
  const auto open = [&](Path path) {
    const bool back = path == Path::feedback;
    return network.open(static_cast<PortId>(back ? to : from), static_cast<PortId>(back ? from : to),
                        TrafficContract::of(category_of(path)));
  };
  const ChannelId ordinary = open(Path::ordinary), backup = open(Path::backup),
                  feedback = open(Path::feedback);
  const ChannelId clock_channel = parameters.resynchronisation > SimTime() ? open(Path::clock) : ChannelId{};
  const HostClock clock = HostClock::of(index(from), hosts, parameters.drift);
  const SimTime begin = clock.at(now) + parameters.monitoring;
  return {from,
          to,
          {ordinary, backup, feedback, clock_channel},
          clock,
          SenderTime(HostClock::of(index(to), hosts, parameters.drift), clock, now),
          begin,
          sender_of(parameters),
          receiver_of(parameters, begin)};
}

EceCounters total(const Connection& connection) {
  const pcaal::SenderCounters& sender = connection.sender.data().counters();
  const ReceiverCounters& receiver = connection.receiver.counters();
  EceCounters all = connection.counters;
  all += {.data = sender.data,
          .again_by_stat = sender.again_by_stat,
          .again_by_ustat = sender.again_by_ustat,
          .suppressed = sender.suppressed,
          .polls = sender.polls,
          .stats = receiver.stats,
          .lstats = receiver.lstats,
          .ustats = receiver.ustats,
          .changes = connection.sender.changes(),
          .missing = receiver.missing,
          .duplicates = connection.receiver.data().counters().duplicates};
  return all;
}

EceCounters total(const std::deque<Connection>& connections) {
  EceCounters sum;
  for (const Connection& connection : connections) sum += total(connection);
  return sum;
}

}  // namespace morgana::ece
