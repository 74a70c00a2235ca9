#include "emulator/interface/gm/control_program.h"

#include <algorithm>
#include <cassert>

#include "emulator/core/error.h"

namespace morgana::gm {

ControlProgram::ControlProgram(EventQueue& events, NetworkSide& fabric, HostSide& host, PortId self,
                               const Parameters& parameters)
    : parameters_(parameters),
      events_(events),
      fabric_(fabric),
      host_(host),
      self_(self),
      processor_(events, *this, parameters.lanai.cycle, parameters.dispatch),
      bus_(parameters.lanai.bus_latency, parameters.lanai.bus_rate, parameters.lanai.rate_to_host()),
      from_host_(events, bus_, processor_, finish_sdma),
      to_host_(events, bus_, processor_, finish_rdma, BusDirection::to_host) {
  parameters.check();
}

void ControlProgram::post(UnitId message, PortId to, Bytes bytes) {
  assert(to != self_);
  Connection& connection = connection_with(to);
  connection.sending.post(message, bytes, parameters_.largest_payload);
  proceed(connection);
}

void ControlProgram::early_received(PacketAtInterface packet, ArrivalKind kind) {
  if (!parameters_.in_transit_support) {
    if (kind == ArrivalKind::for_host) return;
    throw Error("a packet in transit has come to an interface whose control program does not know its type");
  }
  early_.push_back({packet, kind});
  processor_.raise(early_recv_packet);
}

void ControlProgram::received(const Packet& packet) {
  received_.emplace_back(packet);
  processor_.raise(finish_recv);
}

void ControlProgram::in_transit_received() {
  received_.emplace_back();
  processor_.raise(finish_recv);
}

void ControlProgram::departed(const Packet& packet) {
  processor_.raise(finish_send);
  if (packet.type != PacketType::gm) return;
  Connection& connection = connection_with(packet.to);
  --connection.on_its_way;
  // Nobody will acknowledge it.
  if (!parameters_.acknowledge) connection.sending.acknowledge(packet.number + 1);
  proceed(connection);
  const bool given_up = !connection.sending.is_current(packet.session);
  if (packet.first_time && packet.completes_message && !given_up)
    host_.message_departed(packet.message, self_);
}

/// One that went through the host's memory was none of the program's.
void ControlProgram::in_transit_departed(PacketAtInterface packet) {
  if (sending_on_ == packet) processor_.raise(finish_send);
}

std::int64_t ControlProgram::begin(unsigned event) {
  const Parameters& p = parameters_;
  if (event == early_recv_packet)
    return early_.front().kind == ArrivalKind::in_transit ? p.handler : p.type_test;
  if (event == finish_recv && p.in_transit_support) return p.handler + p.type_test;
  return p.handler;
}

void ControlProgram::end(unsigned event) {
  switch (static_cast<Event>(event)) {
    case early_recv_packet:
      return recv_early();
    case finish_recv:
      return recv_finished();
    case finish_send:
      return send_finished();
    case finish_rdma:
      return rdma_finished();
    case finish_sdma:
      return sdma_finished();
    case start_send:
      return send_next();
    case start_rdma:
      return rdma_next();
    case start_sdma:
      return sdma_next();
    case resend:
      return see_to_overdue();
  }
}

void ControlProgram::recv_early() {
  const Early early = early_.front();
  early_.pop_front();
  if (!early_.empty()) processor_.raise(early_recv_packet);
  if (early.kind != ArrivalKind::in_transit) return;
  if (!sending_ && parameters_.recv_starts_sending) return start_sending(early.packet);
  in_transit_.push_back(early.packet);
  ++waited_;
  if (!sending_) processor_.raise(start_send);
}

void ControlProgram::recv_finished() {
  const std::optional<Packet> packet = received_.front();
  received_.pop_front();
  if (!received_.empty()) processor_.raise(finish_recv);
  if (packet) accept(*packet);
}

void ControlProgram::accept(const Packet& packet) {
  if (packet.type == PacketType::acknowledgement) return acknowledged(packet);
  if (packet.type == PacketType::mapping) return host_.packet_received(packet);
  if (packet.type == PacketType::gm && parameters_.acknowledge && !comes_in_order(packet)) return;
  for_host_.push_back(packet);
  if (!to_host_now_) processor_.raise(start_rdma);
}

bool ControlProgram::comes_in_order(const Packet& packet) {
  using Verdict = ReceivingEnd::Verdict;
  Connection& connection = connection_with(packet.from);
  const Verdict verdict = connection.receiving.receive(packet);
  const bool in_order = verdict == Verdict::accepted;
  if (in_order) connection.refusal_due = false;
  const bool refused = verdict == Verdict::early && parameters_.early == EarlyPackets::refused &&
                       connection.receiving.to_be_refused();
  if (refused) connection.refusal_due = true;
  if (in_order || refused || verdict == Verdict::repeated) owe_acknowledgement(connection);
  return in_order;
}

void ControlProgram::owe_acknowledgement(Connection& connection) {
  if (!connection.acknowledgement_due) owed_.push_back(connection.number);
  connection.acknowledgement_due = true;
  if (!sending_) processor_.raise(start_send);
}

void ControlProgram::acknowledged(const Packet& packet) {
  Connection& connection = connection_with(packet.from);
  SendingEnd& sending = connection.sending;
  if (!sending.is_current(packet.session)) return;
  const bool progress = sending.acknowledge(packet.number);
  if (progress) {
    connection.futile = 0;
    connection.overdue = false;
    connection.last_loss.clear();
  }
  const bool missing = packet.refuses && packet.number == sending.oldest();
  if (missing) sending.go_back();
  if (progress || missing) proceed(connection);
}

/// What is in transit first, then what is short.
void ControlProgram::send_next() {
  if (sending_) return;
  if (!in_transit_.empty()) {
    const PacketAtInterface packet = in_transit_.front();
    in_transit_.pop_front();
    return start_sending(packet);
  }
  if (!owed_.empty()) return start_sending(next_acknowledgement());
  if (ready_.empty()) return;
  const Packet packet = ready_.front();
  ready_.pop_front();
  sending_from_buffer_ = true;
  ++(packet.first_time ? counters_.packets : counters_.repeated);
  start_sending(packet);
}

Packet ControlProgram::next_acknowledgement() {
  Connection& connection = connections_[owed_.front()];
  owed_.pop_front();
  Packet packet{self_, connection.peer, PacketType::acknowledgement};
  packet.number = connection.receiving.expected();
  packet.session = connection.receiving.session();
  packet.refuses = connection.refusal_due;
  connection.acknowledgement_due = connection.refusal_due = false;
  ++counters_.acknowledgements;
  counters_.refusals += packet.refuses ? 1 : 0;
  return packet;
}

/// A packet in transit that waits goes at once, without another dispatch.
void ControlProgram::send_finished() {
  sending_ = false;
  sending_on_.reset();
  if (sending_from_buffer_) --buffers_used_;
  sending_from_buffer_ = false;
  if (!line_.empty() && may_start_sdma()) processor_.raise(start_sdma);
  if (!in_transit_.empty()) return send_next();
  if (!owed_.empty() || !ready_.empty()) processor_.raise(start_send);
}

void ControlProgram::start_sending(PacketAtInterface packet) {
  sending_ = true;
  sending_on_ = packet;
  fabric_.send_on(packet);
}

void ControlProgram::start_sending(const Packet& packet) {
  sending_ = true;
  fabric_.send(packet);
}

void ControlProgram::rdma_next() {
  if (to_host_now_ || for_host_.empty()) return;
  to_host_now_ = for_host_.front();
  for_host_.pop_front();
  to_host_.start(to_host_now_->payload);
}

void ControlProgram::rdma_finished() {
  const Packet packet = *to_host_now_;
  to_host_now_.reset();
  if (!for_host_.empty()) processor_.raise(start_rdma);
  host_.packet_received(packet);
}

/// A connection may have lost its reason to stand in line, as an acknowledgement came.
void ControlProgram::sdma_next() {
  if (!may_start_sdma()) return;
  while (!line_.empty() && !from_host_now_) {
    Connection& connection = connections_[line_.front()];
    line_.pop_front();
    connection.in_line = false;
    if (may_fetch(connection)) {
      from_host_now_ = connection.sending.fetch(parameters_.largest_payload);
      from_host_now_->from = self_;
      from_host_now_->to = connection.peer;
      ++connection.on_its_way;
    }
    proceed(connection);
  }
  if (!from_host_now_) return;
  ++buffers_used_;
  from_host_.start(from_host_now_->payload);
}

void ControlProgram::sdma_finished() {
  ready_.push_back(*from_host_now_);
  from_host_now_.reset();
  if (!line_.empty() && may_start_sdma()) processor_.raise(start_sdma);
  if (!sending_) processor_.raise(start_send);
}

}  // namespace morgana::gm
