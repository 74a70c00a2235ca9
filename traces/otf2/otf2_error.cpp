#include "traces/otf2/otf2_error.h"

#include <fmt/format.h>

#include <array>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <utility>

namespace morgana {
namespace {

thread_local std::string last_message;

OTF2_ErrorCode keep_message(void*, const char*, std::uint64_t, const char*, OTF2_ErrorCode code,
                            const char* format, va_list arguments) {
  std::array<char, 512> text{};
  if (format != nullptr) std::vsnprintf(text.data(), text.size(), format, arguments);
  // The first message of a chain is the cause; what follows only says who was told.
  if (last_message.empty()) {
    last_message = OTF2_Error_GetDescription(code);
    if (text[0] != '\0') last_message += fmt::format(" ({})", text.data());
  }
  return code;
}

}  // namespace

void catch_otf2_messages() {
  static std::once_flag once;
  std::call_once(once, [] { OTF2_Error_RegisterCallback(keep_message, nullptr); });
  last_message.clear();
}

std::string take_otf2_message() {
  return std::exchange(last_message, {});
}

void check_otf2(OTF2_ErrorCode code, const char* doing) {
  if (code == OTF2_SUCCESS) return;
  std::string message = take_otf2_message();
  if (message.empty()) message = OTF2_Error_GetDescription(code);
  throw Error(fmt::format("can't {}: {}", doing, message));
}

}  // namespace morgana
