#include "emulator/report/times_as.h"

#include <fmt/format.h>

#include "emulator/report/readable.h"

namespace morgana {
namespace {

constexpr double says_little = 1.05;

std::string text(double ratio, const char* adjective, const char* comparative, const std::string& than) {
  if (ratio >= says_little)
    return fmt::format("{} times as {}{}{}", readable_ratio(ratio), adjective, than.empty() ? "" : " as ",
                       than);
  const std::string share = readable_share(ratio - 1);
  return fmt::format("{} {}{}{}", share == readable_share(0) ? "less than 0.1 %" : share, comparative,
                     than.empty() ? "" : " than ", than);
}

}  // namespace

std::string longer_text(double ratio, const std::string& than) {
  return text(ratio, "long", "longer", than);
}

std::string faster_text(double ratio, const std::string& than) {
  return text(ratio, "fast", "faster", than);
}

}  // namespace morgana
