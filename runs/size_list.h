#pragma once

#include <string_view>
#include <vector>

#include "emulator/core/units.h"

namespace morgana {

/// Reads sizes and ranges of sizes, separated by commas:
///   1 KiB,1 MiB        single sizes
///   8 B..8 GiB:x2      from, to and factor: 8 B, 16 B, ... 8 GiB
///   0.5 MiB..4 MiB:512 KiB  from, to and step
/// A range's last size is the last step that does not pass its end.
/// @throws Error for anything else, sizes of 0, and more than 1,000 of them
std::vector<Bytes> parse_sizes(std::string_view text);

}  // namespace morgana
