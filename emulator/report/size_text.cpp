#include "emulator/report/size_text.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

#include "emulator/core/quantity.h"

namespace morgana {

std::string size_text(Bytes size) {
  constexpr std::int64_t thousand = 1000;
  std::string binary = to_text(size);
  std::int64_t count = size.count();
  std::size_t unit = 0;
  static constexpr std::array units{"B", "kB", "MB", "GB", "TB"};
  for (; unit + 1 < units.size() && count > 0 && count % thousand == 0; ++unit) count /= thousand;
  std::string decimal = fmt::format("{} {}", count, units[unit]);
  return decimal.size() < binary.size() ? decimal : binary;
}

}  // namespace morgana
