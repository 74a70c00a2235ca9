#include "emulator/network/atm/cell.h"

namespace morgana::atm {
namespace {

std::uint8_t error_control(const std::array<std::uint8_t, 5>& octets) {
  unsigned crc = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    crc ^= octets[i];
    for (int bit = 0; bit < 8; ++bit) crc = (crc << 1 ^ (crc & 0x80 ? 0x07U : 0U)) & 0xff;
  }
  return static_cast<std::uint8_t>(crc ^ 0x55U);
}

}  // namespace

std::array<std::uint8_t, 5> encode(const CellHeader& header) {
  const unsigned payload_type =
      (header.management ? 4U : 0U) | (header.congestion ? 2U : 0U) | (header.end_of_packet ? 1U : 0U);
  std::array<std::uint8_t, 5> octets{};
  octets[0] = static_cast<std::uint8_t>((header.generic_flow_control & 0xfU) << 4 | header.vpi >> 4);
  octets[1] = static_cast<std::uint8_t>((header.vpi & 0xfU) << 4 | header.vci >> 12);
  octets[2] = static_cast<std::uint8_t>(header.vci >> 4 & 0xff);
  octets[3] = static_cast<std::uint8_t>((header.vci & 0xfU) << 4 | payload_type << 1 |
                                        (header.low_priority ? 1U : 0U));
  octets[4] = error_control(octets);
  return octets;
}

std::optional<CellHeader> decode(const std::array<std::uint8_t, 5>& octets) {
  if (octets[4] != error_control(octets)) return std::nullopt;
  CellHeader header;
  header.generic_flow_control = octets[0] >> 4;
  header.vpi = static_cast<std::uint8_t>((octets[0] & 0xf) << 4 | octets[1] >> 4);
  header.vci = static_cast<std::uint16_t>((octets[1] & 0xf) << 12 | octets[2] << 4 | octets[3] >> 4);
  header.management = octets[3] & 8;
  header.congestion = octets[3] & 4;
  header.end_of_packet = octets[3] & 2;
  header.low_priority = octets[3] & 1;
  return header;
}

}  // namespace morgana::atm
