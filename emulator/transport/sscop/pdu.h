#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "emulator/transport/assured/pdu.h"

namespace morgana::sscop {

using assured::Number;
using assured::Poll;
using assured::Ustat;
/// Of 24 bits.
using Numbers = assured::Sequence<24>;
constexpr Number modulus = Number{1} << 24;

/// Sequenced data, of which the information field is not carried here, only its length.
struct Sd {
  std::uint32_t octets;  ///< 0 to largest_information
  Number ns;
  bool operator==(const Sd&) const = default;
};
/// The list is alternately the start of a run of missing frames and of a run of received ones.
struct Stat {
  std::vector<Number> list;
  Number nps, nmr, nr;
  bool operator==(const Stat&) const = default;
};
using Pdu = std::variant<Sd, Poll, Stat, Ustat>;

constexpr std::uint32_t largest_information = 65528;

/// Octets of the encoding.
std::size_t size_of(const Pdu& pdu);

/// The encodings of ITU-T Q.2110, 7.2: words of 32 bits, and in the last the type in the low half of its
/// first octet (SD 8, POLL 10, STAT 11, USTAT 12). An SD is its information, padding to a whole word and the
/// trailer with the padding's length in the two highest bits.
std::vector<std::uint8_t> encode(const Pdu& pdu, std::span<const std::uint8_t> information = {});
/// Nothing if type or length fit none of the four.
std::optional<Pdu> decode(std::span<const std::uint8_t> octets);

}  // namespace morgana::sscop
