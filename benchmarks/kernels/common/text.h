#pragma once

#include <string>

namespace morgana::kernels {

/// printf into a string.
[[gnu::format(printf, 1, 2)]] std::string text_of(const char* format, ...);

}  // namespace morgana::kernels
