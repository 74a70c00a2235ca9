#pragma once

#include "emulator/collectives/member.h"

namespace morgana::collectives {

/// @throws Error if the member's part can't be planned: a root or neighbour that is no member, a list of
/// sizes of the wrong length, a negative size, an empty element, or on an intercommunicator an empty group or
/// a kind that is not defined there
void check(const Member& member);

}  // namespace morgana::collectives
