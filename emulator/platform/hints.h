#pragma once

#include <functional>
#include <string>
#include <vector>

#include "emulator/platform/notices.h"
#include "emulator/platform/platform_hint.h"

namespace morgana {

/// What overrides (--set) change or leave beside what they name; what a file says, it says on purpose:
///   - values that the library chose together with a key that is overridden, and that stay
///   - the number of hosts and leaves, where it follows from a key that says something else (network.arity)
/// @param find  as of platform_notices()
std::vector<PlatformHint> platform_hints(const Resolved& platform, const KeyOrigins& origins,
                                         const std::function<const Key*(const std::string&)>& find);

}  // namespace morgana
