#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/platform/kinds/networks.h"
#include "emulator/schema/schema.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// A transport that a platform may choose with transport.kind. Adding one is one function in transports.cpp
/// and its line in transport_kinds().
struct TransportKind {
  std::string name;
  std::string meaning;
  std::vector<Key> keys;
  std::function<std::optional<Complaint>(const Settings&, const UnitService& network)> check;
  std::function<std::unique_ptr<Transport>(const Settings&, EventQueue&, Network&, std::size_t hosts)> make;
  bool needs_cells = false;  ///< only for networks that carry cells
  bool repeats = false;      ///< what the network loses
  /// The hosts' kernels carry it out, and the messages as well (PushPullParameters).
  bool in_kernel = false;
  bool remote_memory = false;       ///< Transport::remote_memory
  bool has_classes = false;         ///< Shipment::traffic_class
  bool has_pcie = false;            ///< its NICs read and write over the hosts' PCIe (hosts.pcie)
  bool sends_single_units = false;  ///< Transport::sends_single_units
};

/// In gam.cpp.
TransportKind gam_transport_kind();
/// In atm.cpp.
TransportKind aal5_transport_kind();
/// In push_pull.cpp.
TransportKind push_pull_transport_kind();
TransportKind sscop_transport_kind();
TransportKind pcaal_transport_kind();
TransportKind ece_transport_kind();
/// In infiniband.cpp.
TransportKind rc_transport_kind();
/// In tcp.cpp.
TransportKind tcp_transport_kind();
/// In uet.cpp.
TransportKind uet_transport_kind();

/// In the order in which they are shown.
const std::vector<TransportKind>& transport_kinds();
const TransportKind& transport_kind(const std::string& name);
/// Units of a traffic class that the network has not.
Complaint no_such_class(std::string key, unsigned traffic_class, const UnitService& network);
/// The one chosen where a platform does not say.
std::string usual_transport(const NetworkKind& network, const Settings& settings);

}  // namespace morgana
