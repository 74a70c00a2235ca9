#include "emulator/transport/infiniband/nics.h"

#include <algorithm>
#include <utility>

#include "emulator/transport/infiniband/queue_pair.h"

namespace morgana::rc {

Nics::Nics(EventQueue& events, const Rules& rules, const PcieParameters& pcie, std::size_t hosts)
    : events_(events),
      rules_(rules),
      bus_(pcie.limits() ? std::make_unique<PcieBus>(events, pcie, hosts, static_cast<PcieUser&>(*this))
                         : nullptr),
      ports_(hosts) {}

SimTime Nics::take_work_request(HostId host, Bytes request) {
  Port& port = ports_[index(host)];
  SimTime posted = events_.now() + rules_->post_latency;
  if (bus_) posted += bus_->post(host, request);
  const SimTime taken = std::max(posted, port.takes);
  port.takes = taken + rules_->message_gap;
  return taken;
}

Nics::Line& Nics::line_of(const QueuePair& pair, PacketKind kind) {
  Port& port = ports_[index(pair.host)];
  if (kind == PacketKind::notification && rules_->cnp_class != rules_->data_class) return port.notifications;
  if (kind == PacketKind::notification || pair.traffic_class == rules_->data_class) return port.data;
  return port.other;
}

void Nics::line_up(QueuePair& pair, Turn turn, PacketKind kind) {
  Line& line = line_of(pair, kind);
  line.turns.push_back({&pair, turn});
  serve(line);
}

void Nics::serve(Line& line) {
  while (!line.busy && !line.turns.empty()) {
    const Waiting first = line.turns.front();
    if (waits_for_bus(first)) return;
    line.turns.pop_front();
    first.pair->take_turn(first.turn);
  }
}

/// Whose turn it is can't send yet, as the bus is busy with what its NIC reads.
bool Nics::waits_for_bus(const Waiting& first) {
  return bus_ && first.pair->fetches_for(first.turn) && !bus_->admits_read(first.pair->host);
}

void Nics::may_read(HostId host) {
  Port& port = ports_[index(host)];
  serve(port.data);
  serve(port.other);
}

SimTime Nics::time_in_memory(HostId host, const PcieWrite& what, SimTime before) {
  SimTime there = events_.now() + rules_->delivery_latency + rules_->delivery_per_byte.time_for(what.payload);
  if (bus_) there += bus_->write(host, what);
  return std::max(before, there);
}

std::vector<CounterTable> Nics::counted() const {
  if (!bus_) return {};
  std::vector<CounterTable> tables{bus_->counted()};
  for (CounterTable& table : bus_->in_use()) tables.push_back(std::move(table));
  return tables;
}

}  // namespace morgana::rc
