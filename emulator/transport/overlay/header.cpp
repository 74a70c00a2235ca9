#include "emulator/transport/overlay/header.h"

#include <cassert>
#include <string>

#include "emulator/core/error.h"

namespace morgana::overlay {
namespace {

void put(std::span<std::byte> octets, std::uint32_t value) {
  for (std::size_t place = octets.size(); place-- > 0; value >>= 8) octets[place] = std::byte(value & 0xff);
}

std::uint32_t get(std::span<const std::byte> octets) {
  std::uint32_t value = 0;
  for (const std::byte octet : octets) value = value << 8 | std::to_integer<std::uint32_t>(octet);
  return value;
}

}  // namespace

std::array<std::byte, header_octets> encode(const PacketHeader& header) {
  assert(header.origin < 1U << 24 && header.destination < 1U << 24);
  std::array<std::byte, header_octets> octets{};
  const std::span<std::byte> all(octets);
  put(all.subspan(0, 1), static_cast<std::uint32_t>(header.type));
  put(all.subspan(1, 1), static_cast<std::uint32_t>(header.way));
  put(all.subspan(2, 3), header.origin);
  put(all.subspan(5, 3), header.destination);
  put(all.subspan(8, 4), header.number);
  return octets;
}

PacketHeader decode(std::span<const std::byte, header_octets> octets) {
  const std::uint32_t type = get(octets.subspan(0, 1)), way = get(octets.subspan(1, 1));
  if (type > static_cast<std::uint32_t>(PacketType::released))
    throw Error("overlay: there is no packet of type " + std::to_string(type));
  if (way > static_cast<std::uint32_t>(Way::downwards))
    throw Error("overlay: there is no way " + std::to_string(way) + " round a ring");
  return {static_cast<PacketType>(type), static_cast<Way>(way), get(octets.subspan(2, 3)),
          get(octets.subspan(5, 3)), get(octets.subspan(8, 4))};
}

}  // namespace morgana::overlay
