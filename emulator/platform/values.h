#pragma once

#include <string>

#include "emulator/platform/platform.h"
#include "emulator/platform/resolve.h"

namespace morgana {

struct Platform::Values {
  std::string name;
  Resolved resolved;
};

}  // namespace morgana
