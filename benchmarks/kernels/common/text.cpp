#include "benchmarks/kernels/common/text.h"

#include <cstdarg>
#include <cstdio>

namespace morgana::kernels {

std::string text_of(const char* format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = std::vsnprintf(nullptr, 0, format, arguments);
  va_end(arguments);
  std::string result(static_cast<std::size_t>(length), ' ');
  std::vsnprintf(result.data(), result.size() + 1, format, again);
  va_end(again);
  return result;
}

}  // namespace morgana::kernels
