#pragma once

#include <memory>

#include "emulator/process/carrier.h"
#include "emulator/process/messenger.h"

namespace morgana {

/// The messages of the machine's ranks: in its kernels, where it says so, else in the ranks' library.
/// Machine, carrier and client must outlive it.
std::unique_ptr<Messenger> make_messenger(Machine& machine, Carrier& carrier, MessengerClient& client);

}  // namespace morgana
