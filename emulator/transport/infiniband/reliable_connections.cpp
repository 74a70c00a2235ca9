#include "emulator/transport/infiniband/reliable_connections.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "emulator/transport/infiniband/packet_sizes.h"
#include "emulator/transport/infiniband/udp_source_port.h"

namespace morgana {

using namespace rc;

ReliableConnections::ReliableConnections(EventQueue& events, Network& network, std::size_t hosts,
                                         const RcParameters& parameters, const PcieParameters& pcie)
    : shared_(events, *this, network, hosts, parameters, pcie) {
  network.report_to(*this);
}

Bytes ReliableConnections::unit_header() const {
  return transport_headers + shared_.rules->global_header;
}

TransportGuarantees ReliableConnections::guarantees() const {
  return {.reliable = shared_.rules->receives == 0 || shared_.rules->rnr_retry == 7, .returns = true};
}

QueuePair& ReliableConnections::queue_pair_of(const Shipment& shipment) {
  const auto [low, high] = std::minmax(shipment.from, shipment.to);
  const auto [place, added] =
      number_.try_emplace({low, high, shipment.channel}, static_cast<QueuePairId>(pairs_.size()));
  const QueuePairId number = place->second;
  if (added) {
    QueuePair& one = pairs_.emplace_back(shared_, number, low);
    QueuePair& other = pairs_.emplace_back(shared_, opposite(number), high);
    one.peer = &other;
    other.peer = &one;
    const auto data_class = static_cast<std::uint8_t>(shared_.rules->data_class);
    one.traffic_class = other.traffic_class = shipment.traffic_class.value_or(data_class);
    if (shared_.rules->udp_source_port == RcParameters::UdpSourcePort::queue_pair)
      one.udp_source_port = other.udp_source_port = udp_source_port(shipment.channel);
  }
  return pairs_[shipment.from == low ? number : opposite(number)];
}

void ReliableConnections::send(const Shipment& shipment) {
  assert(shipment.from != shipment.to && shared_.nics.has(shipment.from) && shared_.nics.has(shipment.to));
  QueuePair& pair = queue_pair_of(shipment);
  // Never told from within send().
  if (pair.has_failed())
    return shared_.notices.add_event({Notice::Kind::returned, shipment.id}, shared_.now());
  constexpr Bytes longest_request(std::int64_t{1} << 30);
  Bytes left = shipment.bytes;
  while (left > longest_request) {
    pair.requester.post(shipment, longest_request, false);
    left -= longest_request;
  }
  pair.requester.post(shipment, left, true);
}

void ReliableConnections::unit_departed(UnitId id, PortId) {
  const Header header = shared_.headers[static_cast<std::uint32_t>(id)];
  QueuePair& pair = pairs_[header.sender()];
  shared_.nics.ends(pair, header.kind);
  pair.packet_departed(header.kind);
  if (header.departs) {
    timer_wait_ = header.timer_wait;
    header.message.listener->shipment_departed(header.message);
  }
  shared_.nics.serve(pair, header.kind);
}

void ReliableConnections::unit_delivered(UnitId id, PortId) {
  const auto slot = static_cast<std::uint32_t>(id);
  const Header header = shared_.headers[slot];
  shared_.headers.give_back(slot);
  pairs_[header.receiver()].packet_came(header);
  tell_what_is_due();
}

void ReliableConnections::unit_lost(UnitId id) {
  const auto slot = static_cast<std::uint32_t>(id);
  const Header& header = shared_.headers[slot];
  pairs_[header.connection].requester.note_loss();
  if (header.echo != 0) shared_.echoes.give_back(header.echo - 1);
  shared_.headers.give_back(slot);
}

void ReliableConnections::handle(std::uint64_t what) {
  const TimerEvent event = TimerEvent::unpacked(what);
  switch (event.kind) {
    case acknowledgement_timeout:
    case rnr_wait:
      pairs_[event.owner].requester.handle_timer(event);
      return tell_what_is_due();
    case ready:
      return pairs_[event.owner].became_ready();
    default:
      tell(shared_.notices.take(event.owner));
  }
}

void ReliableConnections::tell(const Notice& notice) {
  ShipmentListener& listener = *notice.message.listener;
  timer_wait_ = notice.timer_wait;
  if (notice.kind == Notice::Kind::delivered)
    listener.shipment_delivered(notice.message);
  else if (notice.kind == Notice::Kind::completed)
    listener.shipment_completed(notice.message);
  else
    listener.shipment_returned(notice.message, Outcome::given_up);
}

void ReliableConnections::tell_what_is_due() {
  shared_.notices.tell_due([this](const Notice& notice) { tell(notice); });
}

std::string ReliableConnections::remedy() const {
  const std::string own =
      "transport.retry-count, transport.timeout and transport.rnr-retry say how long a queue pair repeats "
      "before it fails";
  // What is never lost may be held up for ever.
  const std::string networks = shared_.remedy.empty() && shared_.network.capabilities().fails
                                   ? shared_.network.remedy()
                                   : shared_.remedy;
  return networks.empty() ? own : own + "; " + networks;
}

std::vector<CounterTable> ReliableConnections::counted() const {
  const auto count = [](std::uint64_t value) { return static_cast<std::int64_t>(value); };
  const RcCounters& all = shared_.counters;
  std::vector<CounterTable> tables{
      {"reliable connections",
       {{"requests"},
        {.name = "packets sent again", .trouble = true},
        {"read responses"},
        {"acknowledgements"},
        {"early, kept"},
        {.name = "sequence errors", .trouble = true},
        {.name = "RNR NAKs", .trouble = true},
        {.name = "timeouts", .trouble = true},
        {.name = "failed queue pairs", .trouble = true},
        {.name = "packets marked (ECN)", .trouble = true},
        {"CNPs"}},
       {{count(all.requests), count(all.repeated + all.repeated_responses), count(all.read_responses),
         count(all.acknowledgements), count(all.kept), count(all.sequence_errors), count(all.not_ready),
         count(all.timeouts), count(all.failed), count(all.marked), count(all.notifications)}}}};
  for (CounterTable& buses : shared_.nics.counted()) tables.push_back(std::move(buses));
  if (shared_.rules->control == RcParameters::Control::timely) {
    tables.push_back({"congestion rates",
                      {{"reports"}, {"feedback packets"}, {"least rate, Mb/s"}},
                      {{count(all.reports), count(all.feedback),
                        all.least_rate ? all.least_rate->bits_per_second() / 1'000'000 : 0}}});
  } else if (shared_.rules.has_windows()) {
    tables.push_back({"congestion windows",
                      {{"reports"},
                       {"feedback packets"},
                       {"waits for the window"},
                       {"least window, B"},
                       {.name = "reports without all ports", .trouble = true}},
                      {{count(all.reports), count(all.feedback), count(all.held),
                        all.reports > 0 ? all.least_window.count() : 0, count(all.no_space)}}});
  }
  return tables;
}

}  // namespace morgana
