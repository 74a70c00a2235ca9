#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace morgana::overlay {

/// The messages between servers and stations. Of data, `end` closes a message. The others are signalling: a
/// station asks for a direct channel, the servers of both grant or refuse it; a server asks its station to
/// release one, which it agrees on with its peer, and both report it to their servers. What a server can't
/// send on goes back to its origin as `returned`, without its data.
enum class PacketType : std::uint8_t { data, end, returned, ask, granted, refused, release, released };
constexpr bool is_signalling(PacketType type) {
  return type > PacketType::returned;
}

/// Which way round a ring a packet goes.
enum class Way : std::uint8_t { shorter, upwards, downwards };

/// What stands before the data of every packet that crosses servers: connections are shared there, so that
/// their identifiers don't show where a packet goes and comes from. The thesis asks for such a field,
/// "analogous to the MID field found in AAL3/4 packets", and leaves it open; these 12 octets are our choice.
/// Source: J. Vila i Sallent: A Network Architecture for Supporting Parallel Computing over ATM, 1997,
/// section 4.2.1.
struct PacketHeader {
  PacketType type = PacketType::data;
  Way way = Way::shorter;
  std::uint32_t origin = 0;       ///< station, below 2^24
  std::uint32_t destination = 0;  ///< same
  std::uint32_t number = 0;       ///< among all packets from origin to destination, modulo 2^32
  bool operator==(const PacketHeader&) const = default;
};

/// Type and way an octet each, origin and destination three, the number four, the highest octet first.
inline constexpr std::size_t header_octets = 12;
std::array<std::byte, header_octets> encode(const PacketHeader& header);
/// @throws Error for a type or way that there is not
PacketHeader decode(std::span<const std::byte, header_octets> octets);

}  // namespace morgana::overlay
