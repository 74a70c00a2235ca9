#include "emulator/messaging/make_messenger.h"

#include "emulator/messaging/kernel/kernel_messenger.h"
#include "emulator/messaging/library_messenger.h"

namespace morgana {

std::unique_ptr<Messenger> make_messenger(Machine& machine, MessengerClient& client) {
  if (machine.kernel_messages) return std::make_unique<KernelMessenger>(machine, client);
  return std::make_unique<LibraryMessenger>(machine, client);
}

}  // namespace morgana
