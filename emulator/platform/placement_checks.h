#pragma once

#include <cstddef>
#include <string>

#include "emulator/platform/platform.h"

namespace morgana {

/// Tasks that others start run where those start them.
/// @throws Error for any placement but block, which nobody may have asked for
void refuse_to_place_tasks(const Placement& placement);

/// Says that a list names more hosts than there are ranks: its author may have meant another -n. Empty
/// if it does not.
std::string surplus_notice(std::size_t ranks, const Placement& placement);

}  // namespace morgana
