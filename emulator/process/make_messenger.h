#pragma once

#include <memory>

#include "emulator/process/machine.h"
#include "emulator/process/messenger.h"

namespace morgana {

/// The messages of the machine's ranks: in its kernels, where it says so, else in the ranks' library.
/// Machine and client must outlive it.
std::unique_ptr<Messenger> make_messenger(Machine& machine, MessengerClient& client);

}  // namespace morgana
