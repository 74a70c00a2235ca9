#include "emulator/messaging/kernel/kernel_shipments.h"

#include <algorithm>

namespace morgana {
namespace {

/// What waits for space must hold up nothing else. @param number  of the channel for pushes; 0: all else
std::uint64_t channel_between(Rank a, Rank b, std::uint32_t number) {
  constexpr unsigned rank_bits = 20;
  const std::uint64_t low = std::min(index(a), index(b)), high = std::max(index(a), index(b));
  return (std::uint64_t{number} << rank_bits | low) << rank_bits | high;
}

}  // namespace

void KernelShipments::ship(std::uint32_t number, KernelLeg leg, bool by_program) {
  KernelMessage& message = messages_[number];
  const MessageLayer& layer = machine_.messages;
  const Rank sender = message.send.envelope.source, receiver = message.send.receiver;
  const bool brings = leg == KernelLeg::push1 || leg == KernelLeg::push2 || leg == KernelLeg::pull;
  const bool forth = brings || leg == KernelLeg::recall;
  if (brings) message.shipped = machine_.events->now();
  const HostId from = machine_.host_of[index(forth ? sender : receiver)];
  const HostId to = machine_.host_of[index(forth ? receiver : sender)];
  Shipment shipment{{Number{number, leg}.packed(), &listener_}, from, to, layer.control};
  if (leg == KernelLeg::push1) shipment.bytes = layer.envelope + message.push1;
  if (leg == KernelLeg::push2) shipment.bytes = layer.envelope + message.push2;
  if (leg == KernelLeg::pull) shipment.bytes = layer.envelope + message.rest;
  shipment.by_program = by_program;
  shipment.asks = brings;
  const bool pushes = leg == KernelLeg::push1 || leg == KernelLeg::push2;
  shipment.channel = channel_between(sender, receiver, pushes ? message.channel : 0);
  machine_.transport->send(shipment);
}

void KernelShipments::note_undelivered(MessageId id, std::optional<Outcome> returned) {
  constexpr const char* names[] = {"push",    "second push", "request for the rest", "rest of a message",
                                   "receipt", "recall",      "answer to a recall"};
  const auto [number, leg] = Number::unpacked(id.number);
  const Messenger::Send& send = messages_[number].send;
  losses_.add({names[static_cast<std::size_t>(leg)], send.envelope.context, send.envelope.source,
               send.receiver, send.envelope.tag, send.bytes, machine_.events->now(), returned,
               machine_.transport->how_lost()});
}

}  // namespace morgana
