#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/network/cell_faults.h"
#include "emulator/platform/kinds/networks.h"
#include "emulator/platform/kinds/transports.h"
#include "emulator/schema/schema.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// How hosts are joined above the network: each to each, or by servers that relay. A platform chooses it with
/// overlay.kind.
struct OverlayKind {
  std::string name;
  std::string meaning;
  std::vector<Key> keys;
  /// Which of the platform's networks and transports it can't work with, and values that don't fit.
  std::function<std::optional<Complaint>(const Settings&, const NetworkKind&, const TransportKind&)> check;
  /// Hosts that share a server; 0: there are no servers.
  std::function<std::size_t(const Settings&)> stations;
  /// The failures among so many hosts and their servers. @throws Error naming what there is not
  std::function<std::vector<CellFault>(const Settings&, std::size_t hosts)> faults;
  /// Messages between `hosts` hosts over a transport between these and their servers.
  std::function<std::unique_ptr<Transport>(const Settings&, EventQueue&, std::unique_ptr<Transport> hops,
                                           std::size_t hosts)>
      make;
};

/// In the order in which they are shown; the first is the one where a platform does not say.
const std::vector<OverlayKind>& overlay_kinds();
const OverlayKind& overlay_kind(const std::string& name);

}  // namespace morgana
