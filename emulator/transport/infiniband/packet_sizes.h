#pragma once

#include <cstdint>

#include "emulator/core/units.h"
#include "emulator/transport/transport.h"

namespace morgana::rc {

// InfiniBand Architecture Specification, volume 1, chapters 5.2 and 9.
inline constexpr Bytes transport_headers{12 + 4};  ///< BTH and ICRC, of each packet
inline constexpr Bytes reth{16}, aeth{4}, immediate_data{4};
/// Of a NAK with selective repeat: the PSN of the packet that it answers, and a reserved byte.
inline constexpr Bytes selective_acknowledgement{4};
/// Of a congestion notification packet (CNP) of RoCE v2: InfiniBand Architecture Specification, volume 1,
/// annex A17.
inline constexpr Bytes notification_payload{16};

/// Of telemetry: the part that does not depend on the number of ports, and a port's record. Li et al., HPCC,
/// SIGCOMM 2019, section 4.1.
inline constexpr Bytes telemetry_fixed{2}, telemetry_record{8};

inline constexpr std::uint32_t psns = 1U << 24;
/// Half of what distinguishes a duplicate from a packet that is ahead: a read request that is repeated in the
/// middle of a read of 2^22 packets is still taken for what it is.
inline constexpr std::int64_t most_outstanding_psns = std::int64_t{1} << 22;

/// What a processor writes into a NIC of a work request: a control segment of 16 B, of writes and reads a
/// remote address of 16 B, then a pointer to the data of 16 B, or 4 B and the payload itself, inline. Source:
/// Mellanox Adapters Programmer's Reference Manual (ConnectX-4 and later), send WQE segments.
inline Bytes size_of_work_request(Verb verb, Bytes payload, bool is_inline) {
  constexpr Bytes control{16}, address{16}, pointer{16}, inline_header{4};
  const Bytes data = is_inline ? inline_header + payload : pointer;
  return control + (verb == Verb::send ? Bytes() : address) + data;
}

/// A payload with its pad bytes.
inline Bytes padded(Bytes payload) {
  return Bytes((payload.count() + 3) / 4 * 4);
}

}  // namespace morgana::rc
