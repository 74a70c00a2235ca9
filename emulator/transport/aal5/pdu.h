#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace morgana::aal {

using Octets = std::vector<std::uint8_t>;

/// CRC-32 of AAL5 (polynomial 0x04C11DB7, first bit first, all ones before, complement after).
std::uint32_t crc32(std::span<const std::uint8_t> octets);
/// CRC-10 of AAL3/4 (polynomial x^10 + x^9 + x^5 + x^4 + x + 1) over the first `bits`.
std::uint16_t crc10(std::span<const std::uint8_t> octets, std::size_t bits);

/// A packet with padding and trailer (user-to-user byte, common part indicator, length, CRC-32): whole cells'
/// payloads. @param data  0 to 65535 bytes. Source: ITU-T I.363.5, 9.2
Octets aal5_packet(std::span<const std::uint8_t> data, std::uint8_t user_to_user = 0);
/// The data, or nothing if length or CRC don't fit: a cell is missing or was changed.
std::optional<Octets> aal5_data(std::span<const std::uint8_t> packet);

/// Segment types of AAL3/4.
enum class SegmentType : std::uint8_t { continuation = 0, end = 1, begin = 2, single = 3 };

/// A cell's payload: segment type (2 bits), sequence number (4), multiplexing identifier (10), 44 bytes,
/// length (6), CRC-10. Source: ITU-T I.363.3
struct Aal34Cell {
  SegmentType segment;
  std::uint8_t sequence;
  std::uint16_t multiplexing;
  std::array<std::uint8_t, 44> data;
  std::uint8_t length;
  bool operator==(const Aal34Cell&) const = default;
};
std::array<std::uint8_t, 48> encode(const Aal34Cell& cell);
/// Nothing if the CRC does not fit.
std::optional<Aal34Cell> decode_aal34(std::span<const std::uint8_t, 48> payload);

/// A packet as the cells that carry it, tagged `tag` at both ends of it.
std::vector<Aal34Cell> aal34_packet(std::span<const std::uint8_t> data, std::uint8_t tag,
                                    std::uint16_t multiplexing);
/// The data, or nothing if segments, sequence, tags or lengths don't fit.
std::optional<Octets> aal34_data(std::span<const Aal34Cell> cells);

}  // namespace morgana::aal
