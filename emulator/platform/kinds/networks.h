#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/core/network_shape.h"
#include "emulator/network/cell_faults.h"
#include "emulator/network/network.h"
#include "emulator/schema/complaint.h"
#include "emulator/schema/schema.h"
#include "emulator/topology/network_topology.h"

namespace morgana {

class MyrinetNetwork;

/// A network that has been made, and which one it is to those who put programs on its interfaces.
struct MadeNetwork {
  template <class Made>
  MadeNetwork(std::unique_ptr<Made> made) : network(std::move(made)) {}
  MadeNetwork(std::unique_ptr<Network> made, MyrinetNetwork* same)
      : network(std::move(made)), myrinet(same) {}

  std::unique_ptr<Network> network;
  MyrinetNetwork* myrinet = nullptr;  ///< `network`, if it is one
};

/// What a network offers the transport above it.
struct UnitService {
  std::optional<Bytes> largest;  ///< unit; nothing: it carries messages of any length in one piece
  unsigned traffic_classes = 1;
  bool marks = false;     ///< units where they meet congestion
  bool controls = false;  ///< what congestion control needs: NetworkExtensions::marking and telemetry
  bool trims = false;     ///< NetworkExtensions::trimming
  bool drops = false;     ///< what finds a queue full and is not trimmed
  bool strict = false;    ///< packets of a class go before those of all classes after it
  Bytes trimmed{};        ///< if it trims: to this, without the network's header
  unsigned trim_class = 0;
};

/// A network that a platform may choose with network.kind. Adding one is one function in networks.cpp and its
/// line in network_kinds().
struct NetworkKind {
  std::string name;
  std::string meaning;
  std::vector<Key> keys;
  /// Nothing: it carries messages of any length in one piece.
  std::function<std::optional<Bytes>(const Settings&)> largest_unit;
  std::function<std::optional<Complaint>(const Settings&)> check;
  /// @param ports  one a host, at least 1
  std::function<MadeNetwork(const Settings&, EventQueue&, std::size_t ports, std::uint64_t seed)> make;
  bool carries_cells = false;  ///< NetworkExtensions::cells is there
  /// For how many hosts it has ports. Empty, or 0: for as many as it is asked to have.
  std::function<std::size_t(const Settings&)> ports = {};
  /// What a picture of its switches and cables is like; empty: it has none.
  std::function<NetworkSketch(const Settings&)> sketch = {};
  /// Its switches, hosts and cables; empty: it has none.
  std::function<NetworkTopology(const Settings&)> topology = {};
  bool runs_interface_programs = false;  ///< MadeNetwork::myrinet is there
  /// As `make`, with a server for every `stations` ports, the last one perhaps for fewer, at the switch of
  /// the first of these. Server n has port `ports` + n. Empty: its ports can't be joined by servers.
  std::function<std::unique_ptr<Network>(const Settings&, EventQueue&, std::size_t ports, std::uint64_t seed,
                                         std::size_t stations, std::vector<CellFault> faults)>
      make_with_servers = {};
  /// As `make`, with a unit that adds up and multicasts at each of these switches, behind a port of its own
  /// that takes as good as no time. Unit n has port `ports` + n, where `ports` are all that the network has.
  /// Empty: its switches don't add up.
  std::function<std::unique_ptr<Network>(const Settings&, EventQueue&, std::size_t ports,
                                         std::span<const SwitchId> units)>
      make_with_units = {};
  /// Empty: units of largest_unit, of one class, without marks.
  std::function<UnitService(const Settings&)> offers = {};
  bool has_port_times = false;  ///< NetworkExtensions::ports is there
};

/// In ethernet.cpp, atm.cpp, myrinet.cpp and fabric.cpp.
NetworkKind ethernet_shared_kind();
NetworkKind ethernet_switched_kind();
NetworkKind ethernet_cable_kind();
NetworkKind atm_network_kind();
NetworkKind myrinet_network_kind();
NetworkKind fabric_network_kind();

/// In the order in which they are shown; the first is the one chosen where a platform does not say.
const std::vector<NetworkKind>& network_kinds();
const NetworkKind& network_kind(const std::string& name);
UnitService unit_service(const NetworkKind& network, const Settings& settings);

}  // namespace morgana
