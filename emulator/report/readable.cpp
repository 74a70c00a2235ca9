#include "emulator/report/readable.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace morgana {
namespace {

struct Scale {
  double factor;
  const char* unit;
};

/// Four significant digits; the value is below 10,000.
std::string four_digits(double value) {
  const double magnitude = std::abs(value);
  const int decimals = magnitude >= 999.95 ? 0 : magnitude >= 99.995 ? 1 : magnitude >= 9.9995 ? 2 : 3;
  return fmt::format("{:.{}f}", value, decimals);
}

}  // namespace

std::string readable_seconds(double seconds) {
  if (seconds == 0) return "0 s";
  static constexpr std::array scales{Scale{1, "s"}, Scale{1e3, "ms"}, Scale{1e6, "us"}, Scale{1e9, "ns"}};
  for (const Scale& scale : scales) {
    if (std::abs(seconds) * scale.factor >= 0.99995) {
      return fmt::format("{} {}", four_digits(seconds * scale.factor), scale.unit);
    }
  }
  return fmt::format("{:.0f} ps", seconds * 1e12);
}

std::string readable(SimTime time) {
  return readable_seconds(time.seconds());
}

std::string readable(Bytes size) {
  static constexpr std::array scales{Scale{1024, "KiB"}, Scale{1048576, "MiB"}, Scale{1073741824, "GiB"},
                                     Scale{1099511627776, "TiB"}};
  const auto count = static_cast<double>(size.count());
  if (size.count() < 1024) return fmt::format("{} B", size.count());
  const Scale* best = scales.data();
  for (const Scale& scale : scales) {
    if (count >= scale.factor) best = &scale;
  }
  return fmt::format("{} {}", four_digits(count / best->factor), best->unit);
}

std::string readable_ratio(double ratio) {
  const double magnitude = std::abs(ratio);
  if (magnitude < 1e-6) return readable_number(ratio, 3);
  int decimals = 0;  // as many as show three digits of what is rounded to them
  for (double least = 99.95; magnitude < least && decimals < 8; least /= 10) ++decimals;
  return fmt::format("{:.{}f}", ratio, decimals);
}

std::string readable_number(double number, int digits) {
  std::string text = fmt::format("{:.{}g}", number, digits);
  constexpr double least = 1e-6, most = 1e15;
  const double magnitude = std::abs(number);
  if (text.find('e') == std::string::npos || magnitude < least || magnitude >= most) return text;
  if (magnitude >= 1) return fmt::format("{:.0f}", number);
  const int decimals = digits - 1 - static_cast<int>(std::floor(std::log10(magnitude)));
  text = fmt::format("{:.{}f}", number, decimals);
  return text.substr(0, text.find_last_not_of('0') + 1);
}

std::string readable_share(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

std::string readable_difference(double relative) {
  constexpr double rounds_to_zero = 0.0005;
  return std::abs(relative) < rounds_to_zero ? "0.0 %" : fmt::format("{:+.1f} %", 100 * relative);
}

}  // namespace morgana
