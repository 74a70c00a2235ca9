#include <algorithm>
#include <utility>

#include "emulator/network/myrinet/mapping/mapped_network.h"

namespace morgana {

MappedHost::MappedHost(EventQueue& events, HostName name, const MappingParameters& parameters, Send send,
                       Ended ended)
    : events_(events),
      name_(name),
      send_(std::move(send)),
      ended_(std::move(ended)),
      mapper_(events, *this, name, parameters) {}

void MappedHost::send(MappingPacket packet, std::vector<RouteByte> route) {
  send_(std::move(packet), std::move(route));
}

void MappedHost::receive(const MappingPacket& packet) {
  switch (packet.kind) {
    case MappingPacket::Kind::probe:
      if (packet.mapper == name_) return mapper_.answered(packet, name_);
      hear(packet);
      if (!packet.reply_along.empty()) answer(packet);
      return;
    case MappingPacket::Kind::answer:
      if (packet.mapper != name_) return;
      if (packet.maps) mapper_.heard_of(packet.host);
      return mapper_.answered(packet, packet.host);
    case MappingPacket::Kind::table:
      if (packet.host != name_) return;
      hear(packet);
      if (!is_outranked(packet.mapper)) collect(packet);
      return;
    case MappingPacket::Kind::receipt:
      if (packet.mapper == name_) mapper_.receipt(packet);
      return;
  }
}

void MappedHost::hear(const MappingPacket& packet) {
  Heard& heard = heard_[packet.mapper];
  heard.last = events_.now();
  if (packet.round != heard.round) heard = {packet.round, events_.now(), events_.now()};
  mapper_.heard_of(packet.mapper);
}

/// Whether a mapper with a lower name has been at work since this one began: that one's routes count.
bool MappedHost::is_outranked(HostName mapper) const {
  const SimTime since = heard_.at(mapper).first;
  return (mapper_.maps() && name_ < mapper) ||
         std::any_of(heard_.begin(), heard_.lower_bound(mapper),
                     [since](const auto& other) { return other.second.last >= since; });
}

void MappedHost::answer(const MappingPacket& probe) {
  MappingPacket packet;
  packet.kind = MappingPacket::Kind::answer;
  packet.mapper = probe.mapper;
  packet.round = probe.round;
  packet.number = probe.number;
  packet.host = name_;
  packet.maps = mapper_.maps();
  send_(std::move(packet), probe.reply_along);
}

void MappedHost::collect(const MappingPacket& part) {
  const std::pair from(part.mapper, part.round);
  if (from != collected_from_) {
    collected_from_ = from;
    collected_.clear();
  }
  MappingPacket receipt;
  receipt.kind = MappingPacket::Kind::receipt;
  receipt.mapper = part.mapper;
  receipt.round = part.round;
  receipt.number = part.number;
  send_(std::move(receipt), part.reply_along);
  if (!collected_.emplace(part.number, part.routes).second || collected_.size() < part.parts) return;
  HostTable table;
  for (auto& [number, routes] : collected_) {
    table.install(routes);
    routes = {};
  }
  adopt(std::move(table));
  mapper_.routes_came();
}

}  // namespace morgana
