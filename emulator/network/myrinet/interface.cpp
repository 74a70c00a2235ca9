// Hosts' interfaces: what is sent next, what has come, and what is sent on.
#include <algorithm>
#include <cassert>

#include "emulator/network/myrinet/myrinet_network.h"

namespace morgana {
using myrinet::long_ago;

void MyrinetNetwork::inject(const Unit& unit) {
  assert(unit.from != unit.to && static_cast<std::size_t>(unit.to) < hosts_.size());
  queue(new_packet(unit, routes_->header(HostNumber(unit.from), HostNumber(unit.to))));
}

void MyrinetNetwork::inject(const Unit& unit, Header route) {
  assert(unit.from != unit.to && (unit.to == anywhere || static_cast<std::size_t>(unit.to) < hosts_.size()));
  const Index packet = new_packet(unit, route);
  if (own_headers_.size() <= packet) own_headers_.resize(packet + 1);
  own_headers_[packet].assign(route.begin(), route.end());
  packets_[packet].header = own_headers_[packet].data();
  queue(packet);
}

void MyrinetNetwork::queue(Index packet) {
  const auto at = static_cast<Index>(packets_[packet].unit.from);
  assert(at < hosts_.size());
  Host& host = hosts_[at];
  if (host.first_local == none) {
    host.first_local = packet;
  } else {
    packets_[host.last_local].next = packet;
  }
  host.last_local = packet;
  ++host.locals;
  ++totals_.injected;
  if (channels_[host.channel].current == none) choose_late(at);
}

void MyrinetNetwork::choose_late(Index index) {
  if (hosts_[index].choosing_at == now()) return;
  hosts_[index].choosing_at = now();
  schedule_late(now(), interface_chooses, index);
}

/// The channel is the passage's until its last flit.
void MyrinetNetwork::hand_to(Index index, Index passage) {
  Channel& channel = channels_[index];
  channel.current = passage;
  if (!followed_ports_.empty() && are_both(followed_ports_, packets_[passages_[passage].packet].unit))
    channel.followed = true;
}

void MyrinetNetwork::choose(Index index) {
  Host& host = hosts_[index];
  host.choosing_at = never;
  Channel& channel = channels_[host.channel];
  if (channel.current != none) return;
  if (host.first_in_transit == none && host.first_local == none) return;
  const bool local =
      host.first_in_transit == none || (host.claim > 0 && host.claim >= parameters_.priority_threshold);
  host.claim = local ? 0 : host.claim + host.locals;
  const Count first = channel.run_end;
  Index passage = none;
  if (local) {
    const Index packet = host.first_local;
    host.first_local = packets_[packet].next;
    --host.locals;
    passage = new_passage(packet, first, packets_[packet].total, 0);
  } else {
    const Index source = host.first_in_transit;
    const Passage from = passages_[source];
    host.first_in_transit = from.next;
    passage = new_passage(from.packet, first, from.length - 1, from.position + 1);
    passages_[passage].silent = from.silent;
    passages_[passage].bad_tail = from.bad_tail;
    passages_[passage].cut_by = from.cut_by;
    channel.source = source;
    channel.feed = from.channel;
    channel.shift = from.first + 1 - first;
    channels_[from.channel].out = host.channel;
  }
  passages_[passage].channel = host.channel;
  hand_to(host.channel, passage);
  if (!channel.dead) append(channel, passage);
  try_to_send(host.channel);
}

/// The last flit of a packet has left the host.
void MyrinetNetwork::sent_by_host(Index index, Index packet) {
  Channel& channel = channels_[index];
  const Index at = index - first_host_channel_;
  Host& host = hosts_[at];
  const Index source = channel.source;
  if (source != none) {
    const Passage& passage = passages_[source];
    if (passage.in_pool) fill_pool(host, -1, -(packets_[packet].total - passage.position - 1));
    if (program_ != nullptr) in_transit_arrived(source);
    channels_[channel.feed].out = none;
    channel.source = channel.feed = none;
    drop_passage(source);
  }
  if (host.first_local != none || host.first_in_transit != none) choose_late(at);
  if (source == none) return report_departed(packet);
  if (program_ != nullptr) program_->in_transit_departed(PortId{at}, PacketAtInterface{source});
}

/// The last flit of a packet has left the switch for its host, and the wire is clear of it at `clear`.
void MyrinetNetwork::all_sent_to_host(Index index, Time clear) {
  Passage& passage = passages_[index];
  passage.all_arrived = clear + cable_;
  if (!starts_with_mark(passage)) return schedule(passage.all_arrived, packet_is_there, index);
  if (!passage.in_transit) return;
  if (passage.in_pool) {
    if (program_ != nullptr) schedule(passage.all_arrived, in_transit_is_there, index);
    return;
  }
  if (passage.in_host_memory) {
    schedule(std::max(passage.ready, passage.all_arrived + parameters_.host_memory_delay.ps()),
             packet_is_ready, index);
  } else {
    schedule(passage.all_arrived, packet_is_there, index);
  }
}

void MyrinetNetwork::fill_pool(Host& host, std::int64_t packets, Count bytes) {
  host.pool_packet_time += host.pool_packets * (now() - host.pool_changed_at);
  host.pool_changed_at = now();
  host.pool_packets += packets;
  host.pool_bytes += bytes;
}

void MyrinetNetwork::mark_arrives(Index index) {
  if (passages_[index].mark_at != now()) return;
  const Index at = channels_[passages_[index].channel].at;
  Host& host = hosts_[at];
  // What is released in this instant makes room.
  if (channels_[host.channel].current != none) run_ends(host.channel);

  Passage& passage = passages_[index];
  InTransitStatistics& statistics = in_transit_[at];
  passage.mark_at = never;
  passage.in_transit = true;
  passage.order = marks_++;
  ++statistics.packets;
  const Count bytes = packets_[passage.packet].total - passage.position - 1;
  passage.ready = now();
  if (program_ == nullptr) passage.ready += (parameters_.detection + parameters_.dma_programming).ps();
  if (host.pool_bytes + bytes <= parameters_.pool.count()) {
    passage.in_pool = true;
    fill_pool(host, 1, bytes);
    statistics.most_packets = std::max(statistics.most_packets, host.pool_packets);
    statistics.most_bytes = std::max(statistics.most_bytes, host.pool_bytes);
    if (program_ == nullptr) return schedule(passage.ready, packet_is_ready, index);
    if (passage.all_arrived != never) schedule(passage.all_arrived, in_transit_is_there, index);
    return;
  }
  ++statistics.overflows;
  passage.in_host_memory = parameters_.overflow == PoolOverflow::host_memory;
  if (passage.all_arrived == never) return;
  all_sent_to_host(index, passage.all_arrived - cable_);
}

MyrinetNetwork::Count MyrinetNetwork::first_four_end(const Passage& passage) const {
  constexpr Count four = 4;
  return passage.first + std::min(four, passage.length);
}

/// A run that brings the fourth byte may yet be cut short: then another one brings it.
void MyrinetNetwork::foresee_first_four(Index channel, Index index) {
  Passage& passage = passages_[index];
  if (passage.early_at == long_ago) return;
  const Time at = arrival(channel, first_four_end(passage) - 1);
  if (at == never || at < now() || at == passage.early_at) return;
  passage.early_at = at;
  schedule(at, first_four_are_there, index);
}

void MyrinetNetwork::first_four_arrive(Index index) {
  Passage& passage = passages_[index];
  if (passage.early_at != now()) return;
  if (arrival(passage.channel, first_four_end(passage) - 1) > now()) {
    passage.early_at = never;
    return;
  }
  passage.early_at = long_ago;
  ArrivalKind kind = ArrivalKind::for_host;
  if (passage.in_transit) kind = passage.in_pool ? ArrivalKind::in_transit : ArrivalKind::no_room;
  program_->early_received(PortId{channels_[passage.channel].at}, PacketAtInterface{index}, kind);
}

/// All of it has come: to be told once, even if its last flit leaves in the same instant.
void MyrinetNetwork::in_transit_arrived(Index index) {
  Passage& passage = passages_[index];
  if (!passage.in_pool || passage.all_arrived != now()) return;
  passage.all_arrived = never;
  program_->in_transit_received(PortId{channels_[passage.channel].at}, PacketAtInterface{index});
}

void MyrinetNetwork::send_on(PacketAtInterface packet) {
  const auto index = static_cast<Index>(packet);
  assert(passages_[index].in_pool && passages_[index].early_at == long_ago);
  ready(index);
}

/// Into the queue of its host: by readiness, then by the arrival of the mark.
void MyrinetNetwork::ready(Index index) {
  Passage& passage = passages_[index];
  passage.ready = now();
  const Index at = channels_[passage.channel].at;
  Host& host = hosts_[at];
  const auto before = [this](Index a, Index b) {
    const Passage &first = passages_[a], &second = passages_[b];
    return first.ready != second.ready ? first.ready < second.ready : first.order < second.order;
  };
  if (host.first_in_transit == none || before(index, host.first_in_transit)) {
    passage.next = host.first_in_transit;
    if (host.first_in_transit == none) host.last_in_transit = index;
    host.first_in_transit = index;
  } else {
    Index previous = host.last_in_transit;
    if (before(index, previous)) {
      previous = host.first_in_transit;
      while (before(passages_[previous].next, index)) previous = passages_[previous].next;
    }
    passage.next = passages_[previous].next;
    passages_[previous].next = index;
    if (previous == host.last_in_transit) host.last_in_transit = index;
  }
  if (channels_[host.channel].current == none) choose_late(at);
}

void MyrinetNetwork::deliver(Index index) {
  const Passage passage = passages_[index];
  Packet& packet = packets_[passage.packet];
  const Index at = channels_[passage.channel].at;
  if (packet.unit.to == anywhere) packet.unit.to = PortId{at};
  std::optional<Loss> lost;
  if (passage.bad_tail) {
    lost = passage.cut_by;
  } else if (has_first_byte(passage)) {
    lost = passage.in_transit ? Loss::pool_overflow : Loss::route_left_over;
  } else if (static_cast<Index>(packet.unit.to) != at) {
    lost = Loss::wrong_host;
  } else if (packet.corrupted) {
    lost = Loss::corrupted;
  }
  drop_passage(index);
  if (passage.silent) return;
  if (lost) {
    Index where = passage.channel;
    if (*lost == Loss::dead_channel) where = packet.died_on;
    if (*lost == Loss::deadlock) where = packet.stalled_from;
    report_lost(passage.packet, *lost, where);
  } else {
    report_delivered(passage.packet);
  }
}

}  // namespace morgana
