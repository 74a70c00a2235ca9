#pragma once

#include "pvmshim/pvm/emulate/open_call.h"
#include "pvmshim/pvmd/request.h"

namespace morgana::pvm {

/// Asks the virtual machine's daemon: a message to it, and one back. The serial number is set here.
/// @throws Error if the reply is none
Reply ask_daemon(OpenCall& call, Request request);
/// Asks for what has no reply.
void tell_daemon(OpenCall& call, Request request);

/// In the service context, the tag of the message in which a parent informs the tasks that it has started of
/// each other; replies' tags follow.
constexpr Tag siblings_tag{0};

}  // namespace morgana::pvm
