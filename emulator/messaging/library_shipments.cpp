#include "emulator/messaging/library_shipments.h"

#include <utility>

#include "emulator/messaging/process_channel.h"

namespace morgana {
namespace {

/// In a shipment's number, above what LegNumber has.
constexpr std::uint64_t unnoticed_departure = std::uint64_t{1} << 63;

}  // namespace

bool LibraryShipments::departs_unnoticed(MessageId id) {
  return (id.number & unnoticed_departure) != 0;
}

bool LibraryShipments::goes_to_receiver(LibraryLeg leg) const {
  return leg == LibraryLeg::data || leg == LibraryLeg::request || leg == LibraryLeg::second_push ||
         leg == LibraryLeg::recall ||
         (leg == LibraryLeg::finish && machine_.messages.rendezvous == RendezvousBy::write);
}

Stripes LibraryShipments::stripes_of(const LibraryMessage& message, LibraryLeg leg) const {
  const Bytes from = machine_.messages.stripe_from;
  if (from == Bytes() || !machine_.chooses_nics() || !message.rendezvous || message.left < from)
    return Stripes::none;
  if (leg == LibraryLeg::data || leg == LibraryLeg::read) return Stripes::parts;
  // What says that a write has finished goes behind each of its parts.
  const bool follows = leg == LibraryLeg::finish && machine_.messages.rendezvous == RendezvousBy::write;
  return follows ? Stripes::each : Stripes::none;
}

Bytes LibraryShipments::size_of(const LibraryMessage& message, LibraryLeg leg) const {
  const MessageLayer& layer = machine_.messages;
  if (leg == LibraryLeg::read || costs_.writes(message, leg)) return message.left;
  if (leg == LibraryLeg::data) {
    const bool in_parts = stripes_of(message, leg) == Stripes::parts;
    return message.left + layer.envelope * (in_parts ? static_cast<std::int64_t>(machine_.nics) : 1);
  }
  if (leg == LibraryLeg::request) return layer.control + messages_.rare_of(message).pushed;
  if (leg == LibraryLeg::second_push) return messages_.rare_of(message).second + layer.envelope;
  return layer.control;
}

void LibraryShipments::ship(std::uint32_t number, LibraryLeg leg) {
  LibraryMessage& message = messages_[number];
  const Messenger::Sent& send = message.send;
  const bool forth = goes_to_receiver(leg);
  const bool writes = costs_.writes(message, leg);
  const HostId sender = machine_.port_of(send.envelope.source, send.nic);
  const HostId receiver = machine_.port_of(send.receiver, send.nic);
  const bool streamed = leg == LibraryLeg::data && message.streamed;
  if (brings_data(leg)) message.shipped = machine_.events->now();
  const std::uint64_t unnoticed = message.rendezvous ? 0 : unnoticed_departure;
  Shipment shipment{{Number{number, leg}.packed() | unnoticed, &listener_},
                    forth ? sender : receiver,
                    forth ? receiver : sender,
                    size_of(message, leg),
                    streamed};
  if (leg == LibraryLeg::data && sockets_.are_read(message)) shipment.piece = sockets_.piece(message);
  const bool is_written =
      message.suspended && (leg == LibraryLeg::data || leg == LibraryLeg::request) && !message.started;
  EndpointWriter* const writer = is_written ? &writer_ : nullptr;
  endpoints_.address({send.envelope.source, send.receiver, send.envelope.tag, !forth,
                      leg == LibraryLeg::data && message.held, writer, number});
  if (leg == LibraryLeg::data && message.left == send.bytes)
    shipment.elements = messages_.rare_of(message).elements;
  shipment.completes = costs_.completes(message, leg);
  if (leg == LibraryLeg::read)
    shipment.verb = Verb::read;
  else if (writes || machine_.messages.eager == EagerBy::write)
    shipment.verb = Verb::write;
  shipment.channel = channel_between(*machine_.transport, send.envelope.source, send.receiver);
  shipment.stripes = stripes_of(message, leg);
  ++machine_.under_way;
  machine_.transport->send(shipment);
}

/// Legs that are under way at once wait for the same timers.
void LibraryShipments::note_timer_wait(MessageId id) {
  const auto [number, leg] = Number::unpacked(id.number);
  const bool with_data = leg == LibraryLeg::data || leg == LibraryLeg::second_push ||
                         leg == LibraryLeg::read ||
                         (leg == LibraryLeg::finish && machine_.messages.rendezvous == RendezvousBy::write);
  messages_.note_timer_wait(messages_[number], with_data, machine_.transport->timer_wait());
}

void LibraryShipments::note_undelivered(MessageId id, std::optional<Outcome> returned) {
  constexpr const char* names[] = {"message",
                                   "RTS",
                                   "CTS",
                                   "acknowledgement",
                                   "second push",
                                   "recall",
                                   "answer to a recall",
                                   "answer to an RTS",
                                   "RDMA read",
                                   "end of a rendezvous"};
  const auto [number, leg] = Number::unpacked(id.number);
  const Messenger::Sent& send = messages_[number].send;
  --machine_.under_way;
  losses_.add({names[static_cast<std::size_t>(leg)], send.envelope.context, send.envelope.source,
               send.receiver, send.envelope.tag, send.bytes, machine_.events->now(), returned,
               machine_.transport->how_lost()});
}

void LibraryShipments::take_out(LibraryMessage& message) {
  if (!std::exchange(message.held, false)) return;
  const Messenger::Sent& send = message.send;
  endpoints_.take_out(send.envelope.source, send.receiver, send.envelope.tag, send.nic);
}

}  // namespace morgana
