#pragma once

#include "emulator/messaging/machine.h"

namespace morgana {

/// Whether every message that a rank sends on this machine comes to its receiver, however long that takes:
/// the network loses nothing, or the transport repeats what it loses and nothing dies. Said of the machines
/// alone of which it is known; a message that a reliable transport gives up all the same must end the run.
bool messages_are_certain(const Machine& machine);

}  // namespace morgana
