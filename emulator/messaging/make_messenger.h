#pragma once

#include <memory>

#include "emulator/messaging/machine.h"
#include "emulator/messaging/messenger.h"

namespace morgana {

/// The messages of the machine's ranks: in its kernels, where it says so, else in the ranks' library.
/// Machine and client must outlive it.
std::unique_ptr<Messenger> make_messenger(Machine& machine, MessengerClient& client);

}  // namespace morgana
