#include "emulator/transport/aal5/pdu.h"

#include <algorithm>
#include <cassert>

namespace morgana::aal {
namespace {

void put16(Octets& octets, std::size_t value) {
  octets.push_back(static_cast<std::uint8_t>(value >> 8 & 0xff));
  octets.push_back(static_cast<std::uint8_t>(value & 0xff));
}

std::size_t get16(std::span<const std::uint8_t> octets, std::size_t at) {
  return static_cast<std::size_t>(octets[at]) << 8 | octets[at + 1];
}

}  // namespace

std::uint32_t crc32(std::span<const std::uint8_t> octets) {
  std::uint32_t crc = ~std::uint32_t{0};
  for (const std::uint8_t octet : octets) {
    crc ^= static_cast<std::uint32_t>(octet) << 24;
    for (int bit = 0; bit < 8; ++bit) crc = crc << 1 ^ (crc & 0x80000000U ? 0x04C11DB7U : 0U);
  }
  return ~crc;
}

std::uint16_t crc10(std::span<const std::uint8_t> octets, std::size_t bits) {
  std::uint32_t crc = 0;
  for (std::size_t bit = 0; bit < bits; ++bit) {
    const std::uint32_t in = octets[bit / 8] >> (7 - bit % 8) & 1U;
    crc = (crc << 1 ^ ((crc >> 9 ^ in) & 1U ? 0x233U : 0U)) & 0x3ffU;
  }
  return static_cast<std::uint16_t>(crc);
}

Octets aal5_packet(std::span<const std::uint8_t> data, std::uint8_t user_to_user) {
  assert(data.size() <= 65535);
  Octets packet(data.begin(), data.end());
  packet.resize((data.size() + 8 + 47) / 48 * 48 - 8);
  packet.push_back(user_to_user);
  packet.push_back(0);
  put16(packet, data.size());
  const std::uint32_t crc = crc32(packet);
  put16(packet, crc >> 16);
  put16(packet, crc & 0xffff);
  return packet;
}

std::optional<Octets> aal5_data(std::span<const std::uint8_t> packet) {
  if (packet.empty() || packet.size() % 48 != 0) return std::nullopt;
  const std::size_t size = packet.size();
  const std::size_t length = get16(packet, size - 6);
  if ((length + 8 + 47) / 48 * 48 != size) return std::nullopt;
  const std::size_t crc = get16(packet, size - 4) << 16 | get16(packet, size - 2);
  if (crc != crc32(packet.first(size - 4))) return std::nullopt;
  return Octets(packet.begin(), packet.begin() + static_cast<std::ptrdiff_t>(length));
}

std::array<std::uint8_t, 48> encode(const Aal34Cell& cell) {
  std::array<std::uint8_t, 48> octets{};
  octets[0] = static_cast<std::uint8_t>(static_cast<unsigned>(cell.segment) << 6 |
                                        (cell.sequence & 0xfU) << 2 | (cell.multiplexing >> 8 & 3U));
  octets[1] = static_cast<std::uint8_t>(cell.multiplexing & 0xff);
  std::copy(cell.data.begin(), cell.data.end(), octets.begin() + 2);
  octets[46] = static_cast<std::uint8_t>(cell.length << 2);
  const std::uint16_t crc = crc10(octets, 48 * 8 - 10);
  octets[46] = static_cast<std::uint8_t>(octets[46] | crc >> 8);
  octets[47] = static_cast<std::uint8_t>(crc & 0xff);
  return octets;
}

std::optional<Aal34Cell> decode_aal34(std::span<const std::uint8_t, 48> payload) {
  Aal34Cell cell{};
  cell.segment = static_cast<SegmentType>(payload[0] >> 6);
  cell.sequence = payload[0] >> 2 & 0xf;
  cell.multiplexing = static_cast<std::uint16_t>((payload[0] & 3) << 8 | payload[1]);
  std::copy(payload.begin() + 2, payload.begin() + 46, cell.data.begin());
  cell.length = payload[46] >> 2;
  if (!std::ranges::equal(encode(cell), payload)) return std::nullopt;
  return cell;
}

std::vector<Aal34Cell> aal34_packet(std::span<const std::uint8_t> data, std::uint8_t tag,
                                    std::uint16_t multiplexing) {
  assert(data.size() <= 65535);
  Octets packet{0, tag};
  put16(packet, data.size());  // the room that the receiver will need
  packet.insert(packet.end(), data.begin(), data.end());
  packet.resize(4 + (data.size() + 3) / 4 * 4);
  packet.push_back(0);
  packet.push_back(tag);
  put16(packet, data.size());
  std::vector<Aal34Cell> cells;
  for (std::size_t at = 0; at < packet.size(); at += 44) {
    Aal34Cell cell{};
    const std::size_t length = std::min<std::size_t>(44, packet.size() - at);
    std::copy_n(packet.begin() + static_cast<std::ptrdiff_t>(at), length, cell.data.begin());
    const bool begins = at == 0, ends = at + length == packet.size();
    cell.segment = begins ? (ends ? SegmentType::single : SegmentType::begin)
                          : (ends ? SegmentType::end : SegmentType::continuation);
    cell.sequence = static_cast<std::uint8_t>(cells.size() & 0xf);
    cell.multiplexing = multiplexing;
    cell.length = static_cast<std::uint8_t>(length);
    cells.push_back(cell);
  }
  return cells;
}

std::optional<Octets> aal34_data(std::span<const Aal34Cell> cells) {
  Octets packet;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool begins = i == 0, ends = i + 1 == cells.size();
    const SegmentType expected = begins ? (ends ? SegmentType::single : SegmentType::begin)
                                        : (ends ? SegmentType::end : SegmentType::continuation);
    const Aal34Cell& cell = cells[i];
    if (cell.segment != expected || cell.sequence != ((cells[0].sequence + i) & 0xf) ||
        cell.multiplexing != cells[0].multiplexing || cell.length > 44 || (!ends && cell.length != 44))
      return std::nullopt;
    packet.insert(packet.end(), cell.data.begin(), cell.data.begin() + cell.length);
  }
  if (packet.size() < 8 || packet[1] != packet[packet.size() - 3]) return std::nullopt;
  const std::size_t length = get16(packet, packet.size() - 2);
  if (4 + (length + 3) / 4 * 4 + 4 != packet.size()) return std::nullopt;
  return Octets(packet.begin() + 4, packet.begin() + 4 + static_cast<std::ptrdiff_t>(length));
}

}  // namespace morgana::aal
