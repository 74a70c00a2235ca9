#include "emulator/process/make_messenger.h"

#include "emulator/process/kernel_messenger.h"
#include "emulator/process/library_messenger.h"

namespace morgana {

std::unique_ptr<Messenger> make_messenger(Machine& machine, MessengerClient& client) {
  if (machine.kernel_messages) return std::make_unique<KernelMessenger>(machine, client);
  return std::make_unique<LibraryMessenger>(machine, client);
}

}  // namespace morgana
