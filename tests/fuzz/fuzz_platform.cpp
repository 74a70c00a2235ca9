// Whatever text is given, the reader of platforms ends with a platform or with an Error; and what a platform
// says of itself is a platform that says the same.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "emulator/core/error.h"
#include "emulator/platform/platform.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using morgana::Platform;
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const std::string description = Platform::parse(text, "fuzz.toml").describe();
    if (Platform::parse(description, "fuzz.toml").describe() != description) std::abort();
  } catch (const morgana::Error&) {
  }
  // The same text as an override, where quotes and line ends mean nothing.
  try {
    Platform::parse("", "fuzz.toml", std::vector<std::string>{text}).describe();
  } catch (const morgana::Error&) {
  }
  return 0;
}
