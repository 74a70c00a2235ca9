#pragma once

#include <memory>
#include <vector>

#include "emulator/core/event_queue.h"
#include "emulator/host/kernel.h"
#include "emulator/network/network.h"
#include "emulator/operations/operation.h"
#include "emulator/process/collectives/tuning.h"
#include "emulator/process/message_layer.h"
#include "emulator/transport/transport.h"

namespace morgana {

/// A platform made ready for one run: what the engine runs ranks on.
struct Machine {
  std::vector<HostId> host_of;  ///< by rank
  std::size_t processors = 1;   ///< of each host
  MessageLayer messages;
  CollectiveTuning collectives;
  std::unique_ptr<EventQueue> events = std::make_unique<EventQueue>();
  std::unique_ptr<Kernel> kernel;        ///< uses *events; none where no processor is ever interrupted
  std::unique_ptr<Network> network;      ///< uses *events
  std::unique_ptr<Transport> transport;  ///< uses *events, *network and the kernel
};

/// What network, transport and kernels have counted up to `until`, or up to now, if that is later.
std::vector<CounterTable> counted(Machine& machine, SimTime until);

/// What the network's links have carried up to then; nothing for networks that have none.
NetworkLinks links(Machine& machine, SimTime until);

/// Whether something in the network dies and the transport gives up then.
bool expects_returns(const Machine& machine);

/// What one rank does reaches no other sooner than after this.
SimTime least_distance(const Machine& machine);

}  // namespace morgana
