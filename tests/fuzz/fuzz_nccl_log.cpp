// Whatever stands in a log of nccl-tests, reading it ends with measured times or with an Error that names the
// log.

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "emulator/core/error.h"
#include "runs/fit/nccl_log.h"

namespace {

using namespace morgana;

void require(bool condition) {
  if (!condition) std::abort();
}

void check(const NcclLog& log) {
  require(log.ranks > 1 && !log.times.empty());
  double last = 0;
  for (const MeasuredTime& one : log.times) {
    require(one.bytes > last && std::isfinite(one.us) && one.us > 0);
    last = one.bytes;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const std::string origin = "nccl.log";
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  is_nccl_log(text);
  try {
    check(read_nccl_log(text, origin));
  } catch (const Error& error) {
    require(std::string_view(error.what()).starts_with(origin));
  }
  return 0;
}
