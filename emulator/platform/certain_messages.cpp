#include "emulator/platform/certain_messages.h"

#include "emulator/network/logp/logp_network.h"
#include "emulator/network/smp/shared_bus.h"
#include "emulator/transport/direct/direct.h"
#include "emulator/transport/gobackn/go_back_n.h"

namespace morgana {

bool messages_are_certain(const Machine& machine) {
  if (machine.kernel_messages || !machine.transport || !machine.network || machine.network->dies())
    return false;
  const Network* const network = machine.network.get();
  const bool loses_nothing = dynamic_cast<const LogpNetwork*>(network) != nullptr ||
                             dynamic_cast<const SharedBus*>(network) != nullptr;
  const Transport* const transport = machine.transport.get();
  if (dynamic_cast<const GoBackN*>(transport) != nullptr) return true;
  return loses_nothing && dynamic_cast<const DirectTransport*>(transport) != nullptr;
}

}  // namespace morgana
