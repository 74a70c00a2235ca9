#pragma once

#include <cstdint>

#include "emulator/core/time.h"
#include "emulator/core/units.h"
#include "emulator/interface/lanai/parameters.h"

namespace morgana::gm {

/// What a NIC says of a packet that comes before one that is missing.
enum class EarlyPackets : std::uint8_t {
  refused,  ///< an acknowledgement that asks for the missing one, once for each that is missing
  ignored,  ///< nothing: the sender repeats it after its timeout
};

/// What a NIC's processor and its program cost, and what the program does about losses. Where each
/// default comes from: Myricom's M2L-PCI64A with GM 1.2, docs/experiments.md; what the program does about
/// losses: docs/decisions/0023-gm-at-interfaces.md.
struct Parameters {
  LanaiParameters lanai;

  std::int64_t dispatch = 18;  ///< cycles, > 0
  std::int64_t handler = 67;   ///< cycles of every handler, >= 0
  std::int64_t type_test = 8;  ///< cycles of a look at a packet's type, which in-transit support asks for
  /// Packets in transit are known: every packet's first four bytes are an event, of the highest priority.
  bool in_transit_support = true;
  /// Recv itself starts sending a packet in transit, if the channel is free; else it raises Start_Send.
  bool recv_starts_sending = true;
  std::int64_t send_buffers = 2;  ///< packets that a NIC holds on their way out, >= 1
  Bytes header{24};               ///< of every packet, behind its type
  Bytes largest_payload{4096};    ///< of a packet: longer messages take several; > 0
  bool acknowledge = true;        ///< else what is lost stays lost
  std::uint32_t window = 32;      ///< packets of a connection that may be unacknowledged, > 0
  EarlyPackets early = EarlyPackets::refused;
  /// Without progress on a connection, it repeats all from the oldest unacknowledged packet on; > 0.
  SimTime timeout = SimTime::from_ps(10'000'000'000);
  std::uint32_t tries = 15;  ///< such repetitions in a row, then the connection is given up; 0: without end

  /// @throws Error naming what is out of range
  void check() const;
};

}  // namespace morgana::gm
