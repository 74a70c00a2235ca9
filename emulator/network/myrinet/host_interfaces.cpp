#include "emulator/network/myrinet/host_interfaces.h"

#include <algorithm>
#include <cassert>

namespace morgana::myrinet {

HostInterfaces::HostInterfaces(Agenda agenda, WormChannels& channels, PacketStore& packets, FlitRuns& runs,
                               Senders& senders, PacketFates& fates, const MyrinetParameters& parameters)
    : agenda_(agenda),
      layout_(channels),
      channels_(channels.all()),
      packets_(packets),
      runs_(runs),
      senders_(senders),
      fates_(fates),
      priority_threshold_(parameters.priority_threshold),
      cable_(parameters.cable.ps()),
      until_ready_((parameters.detection + parameters.dma_programming).ps()),
      host_memory_delay_(parameters.host_memory_delay.ps()),
      through_host_memory_(parameters.overflow == PoolOverflow::host_memory),
      interfaces_(channels.hosts(), Interface{{}, TransitPool(parameters.pool.count()), never}) {}

void HostInterfaces::begin_window() {
  for (Interface& at : interfaces_) at.pool.begin_window(agenda_.now());
}

void HostInterfaces::inject(Index packet) {
  const auto at = static_cast<Index>(packets_.packet(packet).unit.from);
  assert(at < interfaces_.size());
  interfaces_[at].queues.add_local(packets_, packet);
  fates_.injected();
  if (channels_[layout_.host_channel(at)].current == none) choose_late(at);
}

void HostInterfaces::choose_late(Index host) {
  if (interfaces_[host].choosing_at == agenda_.now()) return;
  interfaces_[host].choosing_at = agenda_.now();
  agenda_.schedule_late(agenda_.now(), WormEvent::interface_chooses, host);
}

void HostInterfaces::choose(Index host) {
  Interface& at = interfaces_[host];
  at.choosing_at = never;
  const Index out = layout_.host_channel(host);
  Channel& channel = channels_[out];
  if (channel.current != none || at.queues.empty()) return;
  const Count first = channel.run_end;
  Index passage = none;
  if (at.queues.choose_local(priority_threshold_)) {
    const Index packet = at.queues.take_local(packets_);
    passage = packets_.add_passage(packet, first, packets_.packet(packet).total, 0);
  } else {
    const Index source = at.queues.take_in_transit(packets_);
    const Passage from = packets_.passage(source);
    passage = packets_.add_passage(from.packet, first, from.length - 1, from.position + 1, from);
    channel.source = source;
    channel.feed = from.channel;
    channel.shift = from.first + 1 - first;
    channels_[from.channel].out = out;
  }
  packets_.passage(passage).channel = out;
  senders_.hand_to(out, passage);
  if (!channel.dead) packets_.append(channel, passage);
  senders_.try_to_send(out);
}

void HostInterfaces::sent(Index index, Index packet) {
  Channel& channel = channels_[index];
  const Index host = layout_.sending_host(index);
  Interface& at = interfaces_[host];
  const Index source = channel.source;
  if (source != none) {
    const Passage& passage = packets_.passage(source);
    if (passage.in_pool) at.pool.release(packets_.flits_behind_mark(passage), agenda_.now());
    if (program_ != nullptr) in_transit_arrived(source);
    channels_[channel.feed].out = none;
    channel.source = channel.feed = none;
    packets_.drop_passage(source);
  }
  if (!at.queues.empty()) choose_late(host);
  if (source == none) return fates_.departed(packet);
  if (program_ != nullptr) program_->in_transit_departed(PortId{host}, PacketAtInterface{source});
}

void HostInterfaces::all_sent_to_host(Index index, Time clear) {
  Passage& passage = packets_.passage(index);
  passage.all_arrived = clear + cable_;
  if (!packets_.starts_with_mark(passage))
    return agenda_.schedule(passage.all_arrived, WormEvent::packet_is_there, index);
  if (!passage.in_transit) return;
  if (passage.in_pool) {
    if (program_ != nullptr) agenda_.schedule(passage.all_arrived, WormEvent::in_transit_is_there, index);
  } else if (passage.in_host_memory) {
    agenda_.schedule(std::max(passage.ready, passage.all_arrived + host_memory_delay_),
                     WormEvent::packet_is_ready, index);
  } else {
    agenda_.schedule(passage.all_arrived, WormEvent::packet_is_there, index);
  }
}

void HostInterfaces::mark_arrives(Index index) {
  if (packets_.passage(index).mark_at != agenda_.now()) return;
  const Index at = channels_[packets_.passage(index).channel].at;
  // What is released in this instant makes space.
  if (channels_[layout_.host_channel(at)].current != none) senders_.run_ends(layout_.host_channel(at));

  Passage& passage = packets_.passage(index);
  passage.mark_at = never;
  passage.in_transit = true;
  passage.order = marks_++;
  passage.ready = agenda_.now();
  if (program_ == nullptr) passage.ready += until_ready_;
  if (interfaces_[at].pool.reserve(packets_.flits_behind_mark(passage), agenda_.now())) {
    passage.in_pool = true;
    if (program_ == nullptr) return agenda_.schedule(passage.ready, WormEvent::packet_is_ready, index);
    if (passage.all_arrived != never)
      agenda_.schedule(passage.all_arrived, WormEvent::in_transit_is_there, index);
    return;
  }
  passage.in_host_memory = through_host_memory_;
  if (passage.all_arrived == never) return;
  all_sent_to_host(index, passage.all_arrived - cable_);
}

Count HostInterfaces::first_four_end(const Passage& passage) {
  constexpr Count four = 4;
  return passage.first + std::min(four, passage.length);
}

/// A run that brings the fourth byte may yet be cut short: then another one brings it.
void HostInterfaces::predict_first_four(Index channel, Index index) {
  Passage& passage = packets_.passage(index);
  if (passage.early_at == long_ago) return;
  const Time at = runs_.arrival(channel, first_four_end(passage) - 1);
  if (at == never || at < agenda_.now() || at == passage.early_at) return;
  passage.early_at = at;
  agenda_.schedule(at, WormEvent::first_four_are_there, index);
}

void HostInterfaces::first_four_arrive(Index index) {
  Passage& passage = packets_.passage(index);
  if (passage.early_at != agenda_.now()) return;
  if (runs_.arrival(passage.channel, first_four_end(passage) - 1) > agenda_.now()) {
    passage.early_at = never;
    return;
  }
  passage.early_at = long_ago;
  ArrivalKind kind = ArrivalKind::for_host;
  if (passage.in_transit) kind = passage.in_pool ? ArrivalKind::in_transit : ArrivalKind::no_room;
  program_->early_received(PortId{channels_[passage.channel].at}, PacketAtInterface{index}, kind);
}

/// All of it has come: reported once, even if its last flit leaves in the same instant.
void HostInterfaces::in_transit_arrived(Index index) {
  Passage& passage = packets_.passage(index);
  if (!passage.in_pool || passage.all_arrived != agenda_.now()) return;
  passage.all_arrived = never;
  program_->in_transit_received(PortId{channels_[passage.channel].at}, PacketAtInterface{index});
}

void HostInterfaces::send_on(PacketAtInterface packet) {
  const auto index = static_cast<Index>(packet);
  assert(packets_.passage(index).in_pool && packets_.passage(index).early_at == long_ago);
  ready(index);
}

void HostInterfaces::ready(Index index) {
  Passage& passage = packets_.passage(index);
  passage.ready = agenda_.now();
  const Index host = channels_[passage.channel].at;
  interfaces_[host].queues.add_in_transit(packets_, index);
  if (channels_[layout_.host_channel(host)].current == none) choose_late(host);
}

void HostInterfaces::deliver(Index index) {
  const Passage passage = packets_.passage(index);
  Packet& packet = packets_.packet(passage.packet);
  const Index at = channels_[passage.channel].at;
  if (packet.unit.to == anywhere) packet.unit.to = PortId{at};
  std::optional<UnitLoss> lost;
  if (passage.bad_tail) {
    lost = passage.cut_by;
  } else if (packets_.has_first_byte(passage)) {
    lost = passage.in_transit ? UnitLoss::pool_overflow : UnitLoss::route_left_over;
  } else if (static_cast<Index>(packet.unit.to) != at) {
    lost = UnitLoss::wrong_host;
  } else if (packet.corrupted) {
    lost = UnitLoss::corrupted;
  }
  packets_.drop_passage(index);
  if (passage.silent) return;
  if (lost) {
    Index where = passage.channel;
    if (*lost == UnitLoss::dead_channel) where = packet.died_on;
    if (*lost == UnitLoss::deadlock) where = packet.stalled_from;
    fates_.lost(passage.packet, *lost, where);
  } else {
    fates_.delivered(passage.packet);
  }
}

}  // namespace morgana::myrinet
