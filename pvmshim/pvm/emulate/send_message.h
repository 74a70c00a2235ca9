#pragma once

#include <span>

#include "pvmshim/pvm/emulate/message.h"
#include "pvmshim/pvm/emulate/open_call.h"

namespace morgana::pvm {

/// A task's id, not a daemon's or a multicast's.
bool is_task(TaskId id);

/// Sends the message in a context to these tasks; those that can't exist get nothing, as from real daemons.
/// @return PvmOk
int send_message(OpenCall& call, Message& message, std::span<const TaskId> to, int context, int tag);

/// The message as it goes to the daemon or into the shared memory.
std::vector<std::byte> block_of(const Message& message, int context, int tag);

}  // namespace morgana::pvm
