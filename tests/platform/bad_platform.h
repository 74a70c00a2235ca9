#pragma once

#include <string>

#include "emulator/platform/platform.h"
#include "tests/platform/support.h"
#include "tests/support/messages.h"

namespace morgana {

/// How the text of a platform's file is refused.
inline std::string refusal_of_file(const std::string& text) {
  return error_of([&] { Platform::parse(text, "my.toml"); });
}

}  // namespace morgana
