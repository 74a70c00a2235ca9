#include "emulator/interface/gm/control_program.h"

#include <cassert>

#include "emulator/core/error.h"

namespace morgana {

void ControlProgramParameters::check() const {
  const auto refuse = [](bool wrong, const char* sentence) {
    if (wrong) throw Error(sentence);
  };
  refuse(cycle <= SimTime(), "a processor's cycle must take longer than 0 s");
  refuse(dispatch < 1, "a dispatch must take at least one cycle of the processor");
  refuse(handler < 0 || type_test < 0, "cycles of a handler must not be negative");
  refuse(send_buffers < 1, "an interface must have at least one send buffer");
  refuse(header.count() < 0 || bus_latency < SimTime(), "header and bus latency must not be negative");
}

ControlProgram::ControlProgram(EventQueue& events, Sender& sender, PacketListener& listener,
                               const ControlProgramParameters& parameters)
    : parameters_(parameters),
      sender_(sender),
      listener_(listener),
      processor_(events, *this, parameters.cycle, parameters.dispatch),
      bus_(parameters.bus_latency, parameters.bus_rate),
      from_host_(events, bus_, processor_, finish_sdma),
      to_host_(events, bus_, processor_, finish_rdma) {
  parameters.check();
}

void ControlProgram::post(const InterfacePacket& packet) {
  assert(packet.from != packet.to);
  tokens_.push_back(packet);
  processor_.raise(start_sdma);
}

void ControlProgram::early_received(PacketAtInterface packet, ArrivalKind kind) {
  if (!parameters_.in_transit_support) {
    if (kind == ArrivalKind::for_host) return;
    throw Error("a packet in transit has come to an interface whose control program does not know its type");
  }
  early_.push_back({packet, kind});
  processor_.raise(early_recv_packet);
}

void ControlProgram::received(const InterfacePacket& packet) {
  received_.emplace_back(packet);
  processor_.raise(finish_recv);
}

void ControlProgram::in_transit_received() {
  received_.emplace_back();
  processor_.raise(finish_recv);
}

void ControlProgram::departed() {
  processor_.raise(finish_send);
}

/// One that went through the host's memory was none of the program's.
void ControlProgram::in_transit_departed(PacketAtInterface packet) {
  if (sending_on_ == packet) processor_.raise(finish_send);
}

std::int64_t ControlProgram::begin(unsigned event) {
  const ControlProgramParameters& p = parameters_;
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
  const std::optional<InterfacePacket> packet = received_.front();
  received_.pop_front();
  if (!received_.empty()) processor_.raise(finish_recv);
  if (packet) accept(*packet);
}

void ControlProgram::accept(const InterfacePacket& packet) {
  if (packet.type == PacketType::acknowledgement) {
    // It went the other way.
    return listener_.packet_acknowledged({packet.id, packet.to, packet.from, PacketType::gm, packet.payload});
  }
  if (packet.type == PacketType::mapping) return listener_.packet_received(packet);
  for_host_.push_back(packet);
  if (!to_host_now_) processor_.raise(start_rdma);
  if (packet.type != PacketType::gm || !parameters_.acknowledge) return;
  acknowledgements_.push_back({packet.id, packet.to, packet.from, PacketType::acknowledgement, Bytes()});
  if (!sending_) processor_.raise(start_send);
}

/// What is in transit first, then what is short.
void ControlProgram::send_next() {
  if (sending_) return;
  if (!in_transit_.empty()) {
    const PacketAtInterface packet = in_transit_.front();
    in_transit_.pop_front();
    return start_sending(packet);
  }
  std::deque<InterfacePacket>& from = acknowledgements_.empty() ? ready_ : acknowledgements_;
  if (from.empty()) return;
  const InterfacePacket packet = from.front();
  sending_from_buffer_ = &from == &ready_;
  from.pop_front();
  start_sending(packet);
}

/// A packet in transit that waits goes at once, without another dispatch.
void ControlProgram::send_finished() {
  sending_ = false;
  sending_on_.reset();
  if (sending_from_buffer_) --buffers_used_;
  sending_from_buffer_ = false;
  if (!tokens_.empty()) processor_.raise(start_sdma);
  if (!in_transit_.empty()) return send_next();
  if (!acknowledgements_.empty() || !ready_.empty()) processor_.raise(start_send);
}

void ControlProgram::start_sending(PacketAtInterface packet) {
  sending_ = true;
  sending_on_ = packet;
  sender_.send_on(packet);
}

void ControlProgram::start_sending(const InterfacePacket& packet) {
  sending_ = true;
  sender_.send(packet);
}

void ControlProgram::rdma_next() {
  if (to_host_now_ || for_host_.empty()) return;
  to_host_now_ = for_host_.front();
  for_host_.pop_front();
  to_host_.start(to_host_now_->payload);
}

void ControlProgram::rdma_finished() {
  const InterfacePacket packet = *to_host_now_;
  to_host_now_.reset();
  if (!for_host_.empty()) processor_.raise(start_rdma);
  listener_.packet_received(packet);
}

void ControlProgram::sdma_next() {
  if (from_host_now_ || tokens_.empty() || buffers_used_ == parameters_.send_buffers) return;
  ++buffers_used_;
  from_host_now_ = tokens_.front();
  tokens_.pop_front();
  from_host_.start(from_host_now_->payload);
}

void ControlProgram::sdma_finished() {
  ready_.push_back(*from_host_now_);
  from_host_now_.reset();
  if (!tokens_.empty()) processor_.raise(start_sdma);
  if (!sending_) processor_.raise(start_send);
}

}  // namespace morgana
