#pragma once

#include <cstdint>

#include "emulator/core/units.h"

namespace morgana::ethernet {

// Sizes of IEEE 802.3-2018, clauses 3 and 4.
constexpr Bytes preamble{8};         ///< with the start frame delimiter
constexpr Bytes header_and_crc{18};  ///< addresses, length or type, frame check sequence
constexpr Bytes least_payload{46};   ///< shorter ones are padded
constexpr Bytes largest_payload{1500};
constexpr Bytes interframe_gap{12};
constexpr std::int64_t slot_bits = 512;  ///< slot time at 10 and 100 Mb/s
constexpr std::int64_t jam_bits = 32;
constexpr int attempt_limit = 16;
constexpr int backoff_limit = 10;

/// What a frame with this payload occupies on the wire, preamble included, gap not.
constexpr Bytes on_wire(Bytes payload) {
  return preamble + header_and_crc + (payload < least_payload ? least_payload : payload);
}

/// @throws Error if `payload` does not fit into a frame that carries up to `largest`
void require_payload(Bytes payload, Bytes largest);

}  // namespace morgana::ethernet
