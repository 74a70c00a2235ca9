#include <array>
#include <charconv>
#include <cstdint>
#include <span>

#include "emulator/core/multiples.h"
#include "emulator/core/quantity.h"
#include "emulator/core/singular.h"

namespace morgana {
namespace {

using namespace multiples;

/// Exact decimal of steps / unit, where unit is a power of ten.
std::string decimal(std::uint64_t steps, std::int64_t unit) {
  const auto divisor = static_cast<std::uint64_t>(unit);
  std::string text = std::to_string(steps / divisor);
  std::uint64_t rest = steps % divisor;
  if (rest == 0) return text;
  text += '.';
  for (std::uint64_t place = divisor / 10; rest > 0; place /= 10) {
    text += static_cast<char>('0' + rest / place);
    rest %= place;
  }
  return text;
}

struct PrintedUnit {
  std::string_view name;
  std::int64_t steps;
};

/// In the largest unit of which there is at least one.
std::string in_largest(std::uint64_t steps, std::span<const PrintedUnit> units) {
  const PrintedUnit* chosen = &units.front();
  for (const PrintedUnit& unit : units)
    if (steps >= static_cast<std::uint64_t>(unit.steps)) chosen = &unit;
  return decimal(steps, chosen->steps) + " " + std::string(chosen->name);
}

}  // namespace

std::string to_text(SimTime time) {
  constexpr std::array<PrintedUnit, 5> units{
      {{"ps", 1}, {"ns", thousand}, {"us", million}, {"ms", billion}, {"s", thousand * billion}}};
  if (time.ps() == 0) return "0 s";
  // Negated as unsigned: the least time has no positive counterpart.
  const auto steps = static_cast<std::uint64_t>(time.ps());
  return time.ps() < 0 ? "-" + in_largest(0 - steps, units) : in_largest(steps, units);
}

std::string to_text(Bytes size) {
  constexpr std::array<PrintedUnit, 4> units{{{"GiB", gibi}, {"MiB", mebi}, {"KiB", kibi}, {"B", 1}}};
  for (const PrintedUnit& unit : units)
    if (size.count() != 0 && size.count() % unit.steps == 0)
      return std::to_string(size.count() / unit.steps) + " " + std::string(unit.name);
  return "0 B";
}

std::string to_text(BitRate rate) {
  constexpr std::array<PrintedUnit, 5> units{
      {{"b/s", 1}, {"kb/s", thousand}, {"Mb/s", million}, {"Gb/s", billion}, {"Tb/s", thousand * billion}}};
  return in_largest(static_cast<std::uint64_t>(rate.bits_per_second()), units);
}

std::string to_text(ByteCost cost) {
  constexpr std::array<PrintedUnit, 5> units{
      {{"fs/B", 1}, {"ps/B", thousand}, {"ns/B", million}, {"us/B", billion}, {"ms/B", thousand * billion}}};
  return cost.fs() == 0 ? "0 ns/B" : in_largest(static_cast<std::uint64_t>(cost.fs()), units);
}

std::string count_to_text(std::int64_t count, std::string_view unit) {
  if (count == 1) unit = singular(unit);
  return std::to_string(count) + (unit.empty() ? "" : " " + std::string(unit));
}

std::string factor_to_text(double factor) {
  std::array<char, 32> digits;
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), factor).ptr;
  return std::string(digits.data(), end);
}

std::string share_to_text(double share) {
  // The percentage is printed only if it reads back to the same share; 1/3 has none that does.
  const std::string percent = factor_to_text(share * 100);
  if (parse_share(percent + " %") == share) return percent + " %";
  return factor_to_text(share);
}

}  // namespace morgana
