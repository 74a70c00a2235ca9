#include "emulator/transport/infiniband/flow_receiver.h"

#include <utility>

#include "emulator/transport/infiniband/packet_sizes.h"
#include "emulator/transport/infiniband/queue_pair.h"

namespace morgana::rc {

FlowReceiver::FlowReceiver(QueuePair& pair)
    : pair_(pair),
      shared_(pair.shared),
      newest_(shared_.rules.has_windows() ? std::make_unique<Echo>() : nullptr) {}

void FlowReceiver::came_marked() {
  ++shared_.counters.marked;
  using Control = RcParameters::Control;
  const Control control = shared_.rules->control;
  if (control != Control::dcqcn && control != Control::cct) return;
  if (pair_.has_failed() || notifies_ > shared_.now()) return;
  if (control == Control::dcqcn) notifies_ = shared_.now() + shared_.rules->dcqcn.cnp_interval;
  if (!std::exchange(owes_notification_, true))
    shared_.nics.line_up(pair_, Turn::notification, PacketKind::notification);
}

void FlowReceiver::send_notification() {
  owes_notification_ = false;
  if (pair_.has_failed()) return;
  ++shared_.counters.notifications;
  pair_.send({.connection = opposite(pair_.id), .kind = PacketKind::notification}, Bytes(),
             notification_payload);
}

void FlowReceiver::keep_echo(const Header& header) {
  const Echo& came = shared_.echoes[header.echo - 1];
  if (shared_.marking->delivered_marked()) newest_->marked += came.size.count();
  if (came.place > newest_->place) {
    const auto ports = shared_.telemetry->delivered_telemetry();
    newest_->place = came.place;
    newest_->sent_at = came.sent_at;
    newest_->arrived_at = shared_.now();
    newest_->hops = shared_.telemetry->delivered_hops();
    newest_->ports.assign(ports.begin(), ports.end());
  }
  shared_.echoes.give_back(header.echo - 1);
  if (header.kind == PacketKind::read_response && !std::exchange(owes_feedback_, true))
    shared_.nics.line_up(pair_, Turn::feedback, PacketKind::feedback);
}

void FlowReceiver::send_feedback() {
  owes_feedback_ = false;
  if (pair_.has_failed() || pair_.peer->has_failed()) return;
  ++shared_.counters.feedback;
  pair_.send({.connection = opposite(pair_.id), .kind = PacketKind::feedback}, aeth, Bytes());
}

std::uint32_t FlowReceiver::take_echo() const {
  if (newest_->place == 0) return 0;
  const std::uint32_t slot = shared_.echoes.take(*newest_);
  shared_.echoes[slot].held = shared_.now() - newest_->arrived_at;
  return slot + 1;
}

}  // namespace morgana::rc
