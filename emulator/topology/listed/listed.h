#pragma once

#include <string>
#include <string_view>

#include "emulator/topology/switch_graph.h"

namespace morgana::topology {

/// A network written down line by line; empty lines and what follows a # don't count:
///     switch 8          the next switch, from 0, has 8 ports
///     host 0.1          the next host, from 0, hangs on switch 0's port 1
///     cable 0.4 1.5     joins port 4 of switch 0 and port 5 of switch 1
/// @param name  of the file or key, for errors. @throws Error naming it and the line
SwitchGraph listed(std::string_view text, std::string_view name);

/// A network as the list that listed() reads.
std::string as_list(const SwitchGraph& graph);

}  // namespace morgana::topology
