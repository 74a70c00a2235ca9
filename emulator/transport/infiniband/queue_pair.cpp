#include "emulator/transport/infiniband/queue_pair.h"

namespace morgana::rc {

void QueuePair::take_turn(Turn turn) {
  switch (turn) {
    case Turn::request:
      return requester.take_turn();
    case Turn::response:
      return responder.take_turn();
    case Turn::notification:
      return receiver.send_notification();
    case Turn::feedback:
      return receiver.send_feedback();
  }
}

bool QueuePair::fetches_for(Turn turn) const {
  if (turn == Turn::response) return responder.fetches();
  return turn == Turn::request && requester.fetches();
}

void QueuePair::send(Header header, Bytes extension, Bytes payload) {
  const Bytes size = shared.rules.packet_size(header, extension, payload);
  shared.nics.begins(*this, header.kind);
  if (shared.marking != nullptr && is_data(header.kind)) flow.sent(header.kind, size);
  if (shared.rules.has_windows()) {
    if (header.counts()) header.echo = flow.take_echo(size - extension);
    if (is_report(header.kind)) header.echo = receiver.take_echo();
  }
  const bool notifies = header.kind == PacketKind::notification;
  shared.network.inject(
      {.id = UnitId{shared.headers.take(header)},
       .from = static_cast<PortId>(host),
       .to = static_cast<PortId>(peer->host),
       .size = size,
       .traffic_class = notifies ? static_cast<std::uint8_t>(shared.rules->cnp_class) : traffic_class,
       .entropy = udp_source_port,
       .telemetry_ports = shared.rules.telemetry_ports(header)});
}

void QueuePair::packet_departed(PacketKind kind) {
  const bool paced = shared.marking != nullptr;  // then the other kind of data may have its turn
  if (kind == PacketKind::request) {
    requester.packet_departed();
    if (paced) responder.proceed();
    requester.proceed();
  } else if (kind != PacketKind::notification && kind != PacketKind::feedback) {
    responder.packet_departed();
    if (paced) requester.proceed();
    responder.proceed();
  }
}

void QueuePair::packet_came(const Header& header) {
  if (shared.marking != nullptr && is_data(header.kind) && shared.marking->delivered_marked())
    receiver.came_marked();
  const bool reports = header.echo != 0 && is_report(header.kind);
  if (reports)
    flow.take_report(header);
  else if (header.echo != 0)
    receiver.keep_echo(header);
  if (header.kind == PacketKind::request)
    responder.gets(header);
  else if (!has_failed() && header.kind == PacketKind::notification)
    flow.notified();
  else if (!has_failed() && header.kind != PacketKind::feedback)
    requester.gets(header);
  if (reports) flow_may_send();
}

void QueuePair::flow_may_send() {
  if (flow.requested_last()) responder.proceed();
  requester.proceed();
  responder.proceed();
}

void QueuePair::became_ready() {
  const bool paced = shared.marking != nullptr;
  if (paced && flow.requested_last()) responder.proceed();
  requester.proceed();
  peer->responder.proceed();
  if (paced) responder.proceed();
}

}  // namespace morgana::rc
