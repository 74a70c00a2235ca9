#pragma once

#include <cstdint>

#include "emulator/network/cells.h"
#include "emulator/transport/pcaal/pdu.h"
#include "emulator/transport/pdu_work.h"

namespace morgana {

struct PcAalParameters {
  pcaal::Packing packing = pcaal::Packing::several;  ///< PC-PDUs in a cell
  /// A PC-PDU of whatever comes without its packing: 1 to 35 B, alone in a cell to 37 B.
  Bytes element{8};
  std::uint32_t window = 1U << 20;  ///< SDs that a receiver accepts from the next in order on, 1 to 2^31 - 1
  SimTime poll = SimTime::from_ps(500'000'000'000);  ///< T_POLL
  /// After so long without an answer the connection is released.
  SimTime no_response = SimTime::from_ps(7'000'000'000'000);
  /// Repetitions of one SD after which the load is called unstable and the connection is released; 0: never.
  std::uint32_t tries = 0;
  ServiceCategory category = ServiceCategory::ubr;
  bool stream = false;      ///< a message's first cells may be taken out before the others have come
  std::uint32_t first = 0;  ///< the first SD's number
  PduCosts costs = {};      ///< of the hosts, for each cell

  /// For user data.
  Bytes room_of_cell() const;
  /// @throws Error if one is out of range
  void check() const;
};

}  // namespace morgana
