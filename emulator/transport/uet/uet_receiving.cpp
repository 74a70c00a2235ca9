// Uet: what becomes of packets at the host that they are for.

#include <algorithm>

#include "emulator/transport/uet/uet.h"

namespace morgana {

using namespace uet;

void Uet::take_data(ConnectionId id, const Header& header) {
  Connection& connection = connections_[id];
  const bool marked = marking_.delivered_marked();
  counters_.marked += marked ? 1 : 0;
  take_target(id, header.credit);
  const Inbound::Data data{header.psn, header.on_link, marked, header.asks, header.repeated};
  const Inbound::Taken taken = connection.inbound.take(data, parameters_.acknowledge_bytes);
  if (taken.acknowledges) acknowledge(id, header, marked);
  if (taken.is_new) came(id, header);
}

void Uet::acknowledge(ConnectionId id, const Header& header, bool marked) {
  ++counters_.acknowledgements;
  inject({.kind = Header::Kind::acknowledgement,
          .connection = id,
          .entropy = header.entropy,
          .on_link = header.on_link,
          .report = connections_[id].inbound.acknowledge(
              {header.psn, header.on_link, marked, header.asks, header.repeated})});
}

void Uet::take_trimmed(ConnectionId id, const Header& header) {
  Connection& connection = connections_[id];
  ++counters_.trimmed;
  if (connection.inbound.has(header.psn)) return acknowledge(id, header, false);
  ++counters_.nacks;
  inject({.kind = Header::Kind::nack,
          .connection = id,
          .entropy = header.entropy,
          .psn = header.psn,
          .times = header.times,
          .last_switch = trimming_->delivered_trimmed() == Trimmed::at_last_switch,
          .marked = marking_.delivered_marked()});
  if (Port& port = port_of(connection.to); port.giver) port.giver->remind(id);
  take_target(id, header.credit);
}

/// What the connection asks for, as far as its packets say so.
void Uet::take_target(ConnectionId id, std::int64_t target) {
  const HostId host = connections_[id].to;
  Port& port = port_of(host);
  if (!port.giver) return;
  port.giver->ask(id, target);
  if (port.gives) return;
  port.gives = true;
  events_.schedule(events_.now(), *this,
                   TimerEvent{0, static_cast<std::uint32_t>(host), credit_timer}.packed());
}

void Uet::give_credit(HostId host) {
  Port& port = port_of(host);
  const auto credit = port.giver->next();
  port.gives = credit.has_value();
  if (!credit) return;
  ++counters_.credits;
  inject({.kind = Header::Kind::credit,
          .connection = credit->flow,
          .entropy = static_cast<std::uint32_t>(counters_.credits % parameters_.entropies),
          .credit = credit->granted});
  events_.schedule(events_.now() + credit->until_next, *this,
                   TimerEvent{0, static_cast<std::uint32_t>(host), credit_timer}.packed());
}

/// A packet that is new.
void Uet::came(ConnectionId id, const Header& header) {
  Connection& connection = connections_[id];
  Message& message = connection.message_of(header.psn);
  message.in_memory = std::max(message.in_memory, events_.now() + parameters_.delivery_latency +
                                                      parameters_.delivery_per_byte.time_for(header.payload));
  if (--message.to_come > 0) return;
  look_for_delivered(id);
  connection.forget_done();
}

/// What has come wholly and need not wait for what is in front of it.
void Uet::look_for_delivered(ConnectionId id) {
  Connection& connection = connections_[id];
  bool all_have_come = true;  // that a send has to wait for
  for (Message& message : connection.messages) {
    if (message.first >= connection.outbound.next()) return;  // never sent
    if (message.to_come > 0) {
      all_have_come = all_have_come && message.part == Message::Part::read_data;
      continue;
    }
    const bool is_matched = message.part == Message::Part::whole && message.verb != Verb::write;
    if (message.delivered || (is_matched && !all_have_come)) continue;
    message.delivered = true;
    Notice notice{
        .kind = Notice::Kind::delivered, .message = message.id, .timer_wait = message.timer_wait.total()};
    SimTime at = message.in_memory;
    if (message.part == Message::Part::read_request) {
      notice = {.kind = Notice::Kind::read,
                .message = message.id,
                .connection = opposite(id),
                .bytes = message.read};
      at = events_.now() + parameters_.fetch_latency +
           parameters_.fetch_per_byte.time_for(std::min(message.read, parameters_.payload));
    } else if (message.part == Message::Part::read_data) {
      at += parameters_.completion_latency;
    } else if (is_matched) {
      at = std::max({at + parameters_.completion_latency, connection.ordered, events_.now()});
    }
    if (is_matched) connection.ordered = std::max(connection.ordered, at);
    message.delivered_at = at;
    notices_.add(notice, at);
    if (message.to_acknowledge == 0)
      add_completion(notices_, message,
                     std::max(at, message.acknowledged_at + parameters_.completion_latency));
  }
}

}  // namespace morgana
