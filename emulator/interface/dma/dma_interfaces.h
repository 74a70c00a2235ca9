#pragma once

#include <tsl/robin_map.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "emulator/host/io_bus.h"
#include "emulator/network/interface_network.h"

namespace morgana {

struct DmaParameters {
  Bytes descriptor{16};     ///< that a processor writes into the NIC for each unit that this shall fetch
  Bytes programmed;         ///< units up to this size are written there by a processor, and not fetched
  std::uint32_t units = 2;  ///< that a NIC's memory holds on their way out, > 0
};

/// Another network, to which NICs bring units over their hosts' I/O buses.
///
/// What leaves: a processor writes a descriptor of the unit, the NIC fetches the unit by DMA and sends
/// it when it is there as a whole (store and forward); or a processor writes the unit itself. The next one
/// follows when the bus has done that and the NIC's memory has space, and so while the wire is busy
/// with the one before. A unit counts as departed when it is in the NIC's memory. What comes is put
/// into the host's memory by DMA, and is delivered then. Writes are posted: the CPU time that they
/// take is the message layer's (overheads), and the bus delays the unit, not the program.
class DmaInterfaces final : public InterfaceNetwork<>, private UnitListener, private IoBusUser {
 public:
  /// @param network  that neither gives up units (NetworkCapabilities::returns) nor has cells that transports
  /// make
  DmaInterfaces(EventQueue& events, const IoBusParameters& bus, const DmaParameters& parameters,
                std::unique_ptr<Network> network);

  void inject(const Unit& unit) override;
  std::vector<CounterTable> counted(SimTime until) override;

 private:
  enum class Step : std::uint8_t { described, moved, arrived };
  struct Port {
    std::deque<Unit> leaving;     // the first one is on the bus, if one is
    std::deque<UnitId> arriving;  // on the bus or in line for it
    std::uint32_t held = 0;       // on the bus or in the NIC's memory, on their way out
    bool moves = false;           // the first one that leaves is on the bus
  };
  Port& at(PortId port) { return ports_.try_emplace(static_cast<std::uint32_t>(port)).first.value(); }
  void transfer(PortId port, IoBus::Master master, Bytes size, Step then);
  void bring_next(PortId port);
  void transferred(std::uint64_t what) override;
  void unit_departed(UnitId id, PortId from) override;
  void unit_delivered(UnitId id, PortId to) override;
  void unit_lost(UnitId id) override;

  IoBus bus_;
  DmaParameters parameters_;
  tsl::robin_map<std::uint32_t, Port> ports_;       // that have sent or received
  tsl::robin_map<std::uint64_t, Bytes> under_way_;  // in the network: sizes, by number
};

}  // namespace morgana
