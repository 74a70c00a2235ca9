// How stations get direct channels, and give them up.
#include <algorithm>
#include <cassert>
#include <utility>

#include "emulator/transport/overlay/overlay.h"

namespace morgana {
using namespace overlay;

namespace {

constexpr Bytes packet_bytes{static_cast<std::int64_t>(header_octets)};

}  // namespace

bool Overlay::may_be_direct(HostId a, HostId b) const {
  if (parameters_.direct == OverlayParameters::Direct::any) return true;
  return parameters_.direct == OverlayParameters::Direct::same_server &&
         number_of_server(a) == number_of_server(b);
}

// Pairs of stations of near numbers come first, because many programs exchange with these; of equally near
// ones, those of low numbers.
void Overlay::open_before_run() {
  if (parameters_.identifiers == 0 || parameters_.direct == OverlayParameters::Direct::never) return;
  const bool any = parameters_.direct == OverlayParameters::Direct::any;
  const std::size_t farthest = std::min<std::size_t>(any ? stations_ : parameters_.stations, stations_) - 1;
  bool some_left = true;
  for (std::size_t distance = 1; distance <= farthest && some_left; ++distance) {
    some_left = false;
    for (std::size_t lower = 0; lower + distance < stations_; ++lower) {
      const HostId a = static_cast<HostId>(lower), b = static_cast<HostId>(lower + distance);
      if (!channels_.has_free(a)) continue;
      some_left = true;
      if (!channels_.has_free(b) || !may_be_direct(a, b)) continue;
      channels_.take(a);
      channels_.take(b);
      channels_.opened(channels_.between(a, b), SimTime());
    }
  }
}

// Low numbers first, as long as both have identifiers left.
void Overlay::join_servers() {
  const std::uint32_t count = servers_.count();
  server_joined_.assign(count, std::vector<bool>(count));
  std::vector<std::int64_t> left(count);
  for (ServerNumber server = 0; server < count; ++server) {
    const std::size_t first = std::size_t{server} * parameters_.stations;
    const std::size_t own = std::min<std::size_t>(parameters_.stations, stations_ - first);
    left[server] = parameters_.server_identifiers == 0
                       ? std::int64_t{count}
                       : static_cast<std::int64_t>(parameters_.server_identifiers) -
                             static_cast<std::int64_t>(own + servers_.neighbours(server).size());
  }
  for (ServerNumber a = 0; a < count; ++a)
    for (ServerNumber b = a + 1; b < count && left[a] > 0; ++b) {
      const std::vector<ServerNumber> near = servers_.neighbours(a);
      if (left[b] <= 0 || std::binary_search(near.begin(), near.end(), b)) continue;
      server_joined_[a][b] = server_joined_[b][a] = true;
      --left[a];
      --left[b];
    }
}

/// Whether what is to be sent now goes over a direct channel.
bool Overlay::goes_directly(HostId from, HostId to) {
  if (!may_be_direct(from, to)) return false;
  const bool on_demand = parameters_.set_up == OverlayParameters::SetUp::on_demand;
  if (!on_demand && parameters_.identifiers == 0) {
    // Those that are there from the start are noted when they are used: there are too many of them.
    if (DirectChannel& channel = channels_.between(from, to); channel.state == DirectChannel::State::closed)
      channels_.opened(channel, events_.now());
    return true;
  }
  const DirectChannel* channel = channels_.find(from, to);
  return channel != nullptr && channel->may_send(from);
}

/// Something has gone by servers.
void Overlay::ask_for_channel(HostId from, HostId to) {
  if (parameters_.set_up != OverlayParameters::SetUp::on_demand || !may_be_direct(from, to)) return;
  DirectChannel& channel = channels_.between(from, to);
  if (channel.state != DirectChannel::State::closed || channel.ask_from > events_.now()) return;
  channel.state = DirectChannel::State::asked_for;
  signal(PacketType::ask, from, to, from, server_of(from));
}

void Overlay::signal(PacketType type, HostId origin, HostId destination, HostId at, HostId next) {
  const PacketHeader header{type, Way::shorter, static_cast<std::uint32_t>(origin),
                            static_cast<std::uint32_t>(destination), 0};
  hop(packets_.take({none, header, packet_bytes, at, next}));
}

/// The server `at` has worked on it. What a station asks for takes an identifier of it there, and one of its
/// peer at the peer's server.
void Overlay::signal_at_server(PacketSlot slot) {
  Packet& packet = packets_[slot];
  const HostId origin{packet.header.origin}, destination{packet.header.destination};
  switch (packet.header.type) {
    case PacketType::ask:
      if (packet.at == server_of(origin) && !channels_.take(origin)) return refuse(slot, origin);
      if (packet.at != server_of(destination)) break;
      if (channels_.take(destination)) return turn_back(slot, PacketType::granted);
      if (packet.at == server_of(origin)) channels_.give_back(origin);
      return refuse(slot, destination);
    case PacketType::refused:
      if (packet.at == server_of(destination)) channels_.give_back(destination);
      break;
    case PacketType::released:
      channels_.give_back(origin);
      return packets_.give_back(slot);
    default:
      break;
  }
  packet.next = next_after(packet.at, packet.header);
  hop(slot);
}

void Overlay::turn_back(PacketSlot slot, PacketType type) {
  Packet& packet = packets_[slot];
  packet.header.type = type;
  std::swap(packet.header.origin, packet.header.destination);
  packet.next = next_after(packet.at, packet.header);
  hop(slot);
}

/// @param without  a station of this server that has no identifier left, and is asked to release one
void Overlay::refuse(PacketSlot slot, HostId without) {
  const HostId at = packets_[slot].at;
  turn_back(slot, PacketType::refused);
  signal(PacketType::release, without, without, at, without);
}

void Overlay::give_up_asking(HostId a, HostId b) {
  DirectChannel& channel = channels_.between(a, b);
  channel.state = DirectChannel::State::closed;
  channel.ask_from = events_.now() + parameters_.idle;
  ++channel.refused;
}

/// A station has got it.
void Overlay::signal_came(PacketSlot slot) {
  const Packet packet = packets_[slot];
  const HostId station = packet.next, peer{packet.header.origin};
  const bool from_server = is_server(packet.at);
  switch (packet.header.type) {
    case PacketType::granted:
      return events_.schedule(events_.now() + parameters_.signalling, *this, slot);
    case PacketType::refused:
      give_up_asking(station, peer);
      break;
    case PacketType::release:
      if (from_server) {
        release_longest_idle(station);
        break;
      }
      // It stands behind all that the peer has sent over the channel, and the answer behind all from here.
      channels_.between(station, peer).stop(station);
      signal(PacketType::released, station, peer, station, peer);
      signal(PacketType::released, station, peer, station, server_of(station));
      break;
    case PacketType::released:
      channels_.closed(channels_.between(station, peer));
      signal(PacketType::released, station, peer, station, server_of(station));
      break;
    default:
      assert(false);
  }
  packets_.give_back(slot);
}

void Overlay::release_longest_idle(HostId station) {
  if (events_.now() < parameters_.idle) return;
  DirectChannel* channel = channels_.longest_idle(station, events_.now() - parameters_.idle);
  if (channel == nullptr) return;
  channel->state = DirectChannel::State::closing;
  channel->stop(station);
  const HostId peer = peer_of(*channel, station);
  signal(PacketType::release, station, peer, station, peer);
}

/// It was lost or returned: those that wait for it act as their timers would have them do.
void Overlay::signal_failed(PacketSlot slot) {
  const Packet packet = packets_[slot];
  const HostId origin{packet.header.origin}, destination{packet.header.destination};
  const bool between_stations = !is_server(packet.at) && !is_server(packet.next);
  switch (packet.header.type) {
    case PacketType::ask:
      if (is_server(packet.at)) channels_.give_back(origin);
      return give_up_asking(origin, destination);
    case PacketType::granted:
      channels_.give_back(origin);
      channels_.give_back(destination);
      return give_up_asking(origin, destination);
    case PacketType::refused:
      if (packet.at != server_of(destination)) channels_.give_back(destination);
      return give_up_asking(origin, destination);
    case PacketType::release:
      if (between_stations) broken(origin, destination);
      return;
    case PacketType::released:
      if (between_stations) channels_.closed(channels_.between(origin, destination));
      return channels_.give_back(between_stations ? destination : origin);
    default:
      assert(false);
  }
}

/// A channel whose end does not answer is released at both.
void Overlay::broken(HostId a, HostId b) {
  channels_.closed(channels_.between(a, b));
  channels_.give_back(a);
  channels_.give_back(b);
}

}  // namespace morgana
