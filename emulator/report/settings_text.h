#pragma once

#include <span>
#include <string>

namespace morgana {

/// What of several "KEY=VALUE" holds, for people: "hosts.processors=4, network.arity=4". A key that is set
/// twice has its last value, unless that is a multiple (x2) of the one before.
std::string settings_text(std::span<const std::string> overrides);

}  // namespace morgana
