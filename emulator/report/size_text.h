#pragma once

#include <string>

#include "emulator/core/units.h"

namespace morgana {

/// An exact size as one writes it: "16 MB", "8 KiB", "1 GB", by powers of 1000 where that is shorter.
std::string size_text(Bytes size);

}  // namespace morgana
