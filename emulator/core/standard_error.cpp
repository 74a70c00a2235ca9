#include "emulator/core/standard_error.h"

#include <cstdio>

namespace morgana {

void print_error(const std::string& text) noexcept {
  std::fwrite(text.data(), 1, text.size(), stderr);
}

}  // namespace morgana
