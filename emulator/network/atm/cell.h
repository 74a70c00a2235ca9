#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "emulator/core/units.h"
#include "emulator/topology/cabled_graph.h"

namespace morgana::atm {

constexpr Bytes cell_octets{53};
constexpr Bytes header_octets{5};
constexpr Bytes payload_octets{48};

/// Time of one cell of 53 octets on a link, to the nearest picosecond: 2,726,337 ps at 155.52 Mb/s.
inline SimTime cell_time(const Link& link) {
  return link.rate.time_for(cell_octets);
}

/// A cell's header at the interface between user and network. Source: ITU-T I.361, 2.2.
struct CellHeader {
  std::uint8_t generic_flow_control = 0;  ///< 4 bits
  std::uint8_t vpi = 0;
  std::uint16_t vci = 0;
  bool management = false;     ///< payload type: an operation, maintenance or resource management cell
  bool congestion = false;     ///< payload type: a switch was congested
  bool end_of_packet = false;  ///< payload type: ATM-user-to-ATM-user indication, which AAL5 uses
  bool low_priority = false;   ///< cell loss priority
  bool operator==(const CellHeader&) const = default;
};

/// With the header error control of ITU-T I.432.1: CRC-8, polynomial x^8 + x^2 + x + 1, plus 0x55.
std::array<std::uint8_t, 5> encode(const CellHeader& header);
/// Nothing if the header error control does not fit.
std::optional<CellHeader> decode(const std::array<std::uint8_t, 5>& octets);

/// Cells of an AAL5 packet: its bytes and the trailer of 8, padded to whole payloads. Source: ITU-T I.363.5.
constexpr std::uint32_t aal5_cells(Bytes packet) {
  return static_cast<std::uint32_t>((packet.count() + 8 + 47) / 48);
}

}  // namespace morgana::atm
