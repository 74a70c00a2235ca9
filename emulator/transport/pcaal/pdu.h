#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "emulator/transport/assured/pdu.h"

namespace morgana::pcaal {

using assured::Number;
using assured::Poll;
using assured::Ustat;
/// Of 32 bits.
using Numbers = assured::Sequence<32>;

constexpr std::size_t cell_payload = 48;
/// User data in a cell that holds one PC-PDU: all but tag, offset, type, number and check (2, 2, 1, 4, 2).
constexpr std::uint32_t room_for_one = 37;
/// The same where it holds several: there are the offsets of the first and of the last.
constexpr std::uint32_t room_for_several = 35;
/// Elements of a STAT cell's list: three pairs and one without partner.
constexpr std::size_t longest_list = 7;

/// Sequenced data: `count` whole PC-PDUs of one message, from the offset-th on. The PC-PDUs' octets are not
/// carried here.
struct Sd {
  std::uint16_t tag, offset, count;
  Number ns;
  bool ends;  ///< the message's last
  bool operator==(const Sd&) const = default;
};
/// One cell of a STAT. The list is alternately the start of a run of missing cells and of a run of received
/// ones. All from LAF on to the list's first element has been received.
struct Stat {
  std::vector<Number> list;
  Number nps, nmr, nr;
  Number laf;  ///< last acknowledgeable frame
  bool operator==(const Stat&) const = default;
};
using Pdu = std::variant<Sd, Poll, Stat, Ustat>;

enum class Packing : std::uint8_t { single, several };

using Cell = std::array<std::uint8_t, cell_payload>;

/// The cell's payload (figure 5.9): tag, offset or offsets, PC-PDUs, padding; then the type in the low half
/// of an octet (SD 8, POLL 10, STAT 11, USTAT 12, as in Q.2110), number and CRC-16 of what stands before it.
/// The high half, which the thesis reserves, is the number of elements of a STAT's list; of an SD, bit 0 that
/// it ends its message and bit 1 that it has no PC-PDU.
/// @param data  the PC-PDUs of an SD, no more than its capacity
Cell encode(const Pdu& pdu, Packing packing, std::span<const std::uint8_t> data = {});
/// Nothing if the check or the type is wrong.
std::optional<Pdu> decode(const Cell& cell, Packing packing);

}  // namespace morgana::pcaal
