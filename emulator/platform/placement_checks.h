#pragma once

#include <cstddef>
#include <string>

#include "emulator/platform/platform.h"

namespace morgana {

/// For programs whose tasks are started by other tasks, which choose their hosts.
/// @throws Error for any placement but block, which may be the default that the user did not ask for
void refuse_to_place_tasks(const Placement& placement);

/// Says that a list names more hosts than there are ranks: its author may have meant another -n. Empty
/// if it does not.
std::string surplus_notice(std::size_t ranks, const Placement& placement);

}  // namespace morgana
