#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/cells.h"
#include "emulator/transport/pcaal/pdu.h"
#include "emulator/transport/transport.h"

namespace morgana {

struct PcAalParameters {
  pcaal::Packing packing = pcaal::Packing::several;  ///< PC-PDUs in a cell
  /// A PC-PDU of every message: what the program packs one by one. 1 to 35 B, alone in a cell to 37 B. The
  /// last of a message may be shorter.
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

  /// User data in a full cell: whole PC-PDUs.
  Bytes data_of_cell() const;
  /// @throws Error if one is out of range
  void check() const;
};

/// What the protocol did so far, on one connection or over all.
struct PcAalCounters {
  std::uint64_t data = 0;                               ///< SDs sent for the first time, a cell each
  std::uint64_t again_by_stat = 0, again_by_ustat = 0;  ///< SDs sent again, by what asked for them
  std::uint64_t suppressed = 0;                         ///< repetitions that the poll stamps prevented
  std::uint64_t polls = 0, stats = 0, stat_cells = 0, ustats = 0;
  std::uint64_t duplicates = 0;  ///< useless cells: SDs that came again
  std::uint64_t cells_lost = 0;
  std::uint64_t cells = 0;       ///< of all frames
  std::uint64_t user_bytes = 0;  ///< in SDs sent for the first time
  std::uint64_t given_up = 0;    ///< messages

  PcAalCounters& operator+=(const PcAalCounters& other);
};

/// Reliable, ordered messages over ATM: the parallel computing adaptation layer, SSCOP's rules on frames of
/// one cell each, with no AAL5 below. Every cell holds whole elements of one message, so that whatever comes
/// is of use, and only cells that were lost are sent again. One connection for each ordered pair of hosts,
/// set up before the program starts; host n is at port n. docs/atm-protocols.md states the choices made where
/// the thesis leaves freedom.
///
/// Source: J. Vila i Sallent: A Network Architecture for Supporting Parallel Computing over ATM, 1997,
/// sections 5.1 and 5.2.
class PcAal : public Transport {
 public:
  /// The network reports to this transport from now on, and must outlive it.
  /// @throws Error as PcAalParameters::check
  PcAal(EventQueue& events, CellNetwork& network, std::size_t hosts, const PcAalParameters& parameters);
  ~PcAal() override;
  void send(const Shipment& shipment) override;
  bool streams() const override;
  bool returns() const override { return true; }
  std::string how_lost() const override;
  std::string remedy() const override;
  std::vector<CounterTable> counted() const override;
  PcAalCounters counters() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace morgana
