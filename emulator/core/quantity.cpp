#include "emulator/core/quantity.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <system_error>
#include <vector>

#include "emulator/core/multiples.h"
#include "emulator/core/singular.h"
#include "emulator/core/unit_meant.h"

namespace morgana {
namespace {

using Wide = unsigned __int128;

/// A unit as a fraction of the step of the type that holds the quantity.
struct QuantityUnit {
  std::string_view name;
  std::int64_t steps;
  std::int64_t divisor = 1;
};

/// What is parsed: how to call it, how to write it, and its units.
struct QuantityKind {
  std::string_view noun;
  std::string_view example;
  std::string_view step;  ///< the least that can be told from 0
  std::span<const QuantityUnit> units;
  bool whole = false;  ///< a fraction of the step is no rounding but a mistake
};

using namespace multiples;

constexpr std::array<QuantityUnit, 7> time_units{{{"ps", 1},
                                                  {"ns", thousand},
                                                  {"us", million},
                                                  {"ms", billion},
                                                  {"s", thousand* billion},
                                                  {"min", 60 * thousand* billion},
                                                  {"h", 3600 * thousand* billion}}};
constexpr std::array<QuantityUnit, 7> size_units{{{"B", 1},
                                                  {"kB", thousand},
                                                  {"KiB", kibi},
                                                  {"MB", million},
                                                  {"MiB", mebi},
                                                  {"GB", billion},
                                                  {"GiB", gibi}}};
constexpr std::array<QuantityUnit, 9> rate_units{{{"b/s", 1},
                                                  {"kb/s", thousand},
                                                  {"Mb/s", million},
                                                  {"Gb/s", billion},
                                                  {"Tb/s", thousand* billion},
                                                  {"B/s", 8},
                                                  {"kB/s", 8 * thousand},
                                                  {"MB/s", 8 * million},
                                                  {"GB/s", 8 * billion}}};

constexpr std::array<QuantityUnit, 25> byte_cost_units{{
    {"fs/B", 1},
    {"ps/B", thousand},
    {"ns/B", million},
    {"us/B", billion},
    {"ms/B", thousand* billion},
    {"fs/KB", 1, kibi},
    {"ps/KB", thousand, kibi},
    {"ns/KB", million, kibi},
    {"us/KB", billion, kibi},
    {"ms/KB", thousand* billion, kibi},
    {"fs/KiB", 1, kibi},
    {"ps/KiB", thousand, kibi},
    {"ns/KiB", million, kibi},
    {"us/KiB", billion, kibi},
    {"ms/KiB", thousand* billion, kibi},
    {"fs/MB", 1, mebi},
    {"ps/MB", thousand, mebi},
    {"ns/MB", million, mebi},
    {"us/MB", billion, mebi},
    {"ms/MB", thousand* billion, mebi},
    {"fs/MiB", 1, mebi},
    {"ps/MiB", thousand, mebi},
    {"ns/MiB", million, mebi},
    {"us/MiB", billion, mebi},
    {"ms/MiB", thousand* billion, mebi},
}};

constexpr QuantityKind time_kind{"time", "5 us", "1 ps", time_units};
constexpr QuantityKind size_kind{"size", "64 KiB", "1 B", size_units, true};
constexpr QuantityKind rate_kind{"rate", "100 Mb/s", "1 b/s", rate_units};
constexpr QuantityKind byte_cost_kind{"cost per byte", "0.03 ns/B", "1 fs/B", byte_cost_units};

/// Units are listed in full where they are few; a cost per byte is told by its two halves.
std::string units_of(const QuantityKind& kind) {
  if (&kind == &byte_cost_kind)
    return "fs, ps, ns, us or ms per B, KB (1024 B) or MB (1024 KB), or a rate (GB/s, Gb/s)";
  std::string list;
  for (std::size_t i = 0; i < kind.units.size(); ++i) {
    if (i > 0) list += i + 1 < kind.units.size() ? ", " : " or ";
    list += kind.units[i].name;
  }
  return list;
}

std::string quoted(std::string_view text) {
  constexpr std::size_t longest_shown = 60;
  std::string shown = "\"";
  for (const char c : text.substr(0, longest_shown)) {
    const bool printable = static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7f;
    shown += printable ? c : '?';
  }
  return shown + (text.size() > longest_shown ? "...\"" : "\"");
}

[[noreturn]] void refuse(std::string_view text, const QuantityKind& kind, const std::string& why) {
  throw Error(quoted(text) + " is not a " + std::string(kind.noun) + ": " + why + "; write a number and " +
              units_of(kind) + ", such as \"" + std::string(kind.example) + "\"");
}

std::string_view trimmed(std::string_view text) {
  const auto blank = [](char c) { return c == ' ' || c == '\t'; };
  while (!text.empty() && blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

/// digits x 10^exponent, exactly.
struct Decimal {
  Wide digits = 0;
  int exponent = 0;
};

constexpr int most_digits = 22;  // leaves room in 128 bits for the largest unit's 16

struct NumberAndRest {
  Decimal number;
  std::string_view spelling;  ///< of the number
  std::string_view rest;      ///< what follows it, trimmed
};

/// The number at the front of the text; nothing if there is none or it has too many digits.
std::optional<NumberAndRest> leading_number(std::string_view text) {
  Decimal number;
  std::size_t at = 0;
  bool any_digit = false, in_fraction = false;
  int significant = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '.' && !in_fraction) {
      in_fraction = true;
      continue;
    }
    if (!is_digit(c)) break;
    any_digit = true;
    if (in_fraction) --number.exponent;
    if (significant > 0 || c != '0') {
      if (++significant > most_digits) return std::nullopt;
      number.digits = number.digits * 10 + static_cast<Wide>(c - '0');
    }
  }
  if (!any_digit) return std::nullopt;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    std::size_t digit = at + 1;
    const bool negative = digit < text.size() && text[digit] == '-';
    if (digit < text.size() && (text[digit] == '-' || text[digit] == '+')) ++digit;
    int exponent = 0;
    const std::size_t first = digit;
    for (; digit < text.size() && is_digit(text[digit]); ++digit)
      exponent = exponent > 9999 ? exponent : exponent * 10 + (text[digit] - '0');
    if (digit > first) {
      number.exponent += negative ? -exponent : exponent;
      at = digit;
    }
  }
  return NumberAndRest{number, text.substr(0, at), trimmed(text.substr(at))};
}

struct Rounded {
  std::int64_t nearest;
  bool exact;
};

/// number x steps / divisor to the nearest whole; nothing if that is more than 63 bits hold.
std::optional<Rounded> rounded(Decimal number, std::int64_t steps, std::int64_t divisor) {
  constexpr Wide largest = std::numeric_limits<Wide>::max();
  if (number.digits == 0) return Rounded{0, true};
  Wide numerator = number.digits * static_cast<Wide>(steps);
  Wide denominator = static_cast<Wide>(divisor);
  for (int i = 0; i < number.exponent; ++i) {
    if (numerator > largest / 10) return std::nullopt;
    numerator *= 10;
  }
  for (int i = 0; i > number.exponent; --i) {
    if (numerator % 10 == 0) {
      numerator /= 10;
    } else if (denominator > largest / 10) {
      return Rounded{0, false};  // far below one step
    } else {
      denominator *= 10;
    }
  }
  const Wide whole = numerator / denominator, remainder = numerator % denominator;
  const Wide nearest = whole + (remainder >= denominator - remainder ? 1 : 0);
  if (nearest > static_cast<Wide>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  return Rounded{static_cast<std::int64_t>(nearest), remainder == 0};
}

std::int64_t parse_steps(std::string_view text, const QuantityKind& kind) {
  const std::string_view words = trimmed(text);
  if (words.empty()) refuse(text, kind, "nothing is given");
  if (words.front() == '-') refuse(text, kind, "it can't be negative");
  const auto number = leading_number(words);
  if (!number) refuse(text, kind, "it does not begin with a number of at most 22 digits");
  if (number->rest.empty()) refuse(text, kind, "its unit is missing");
  for (const QuantityUnit& unit : kind.units) {
    if (unit.name != number->rest) continue;
    const auto steps = rounded(number->number, unit.steps, unit.divisor);
    if (!steps) refuse(text, kind, "it is too large");
    if (steps->nearest == 0 && !steps->exact)
      refuse(text, kind, "it is too small, the least is " + std::string(kind.step));
    if (kind.whole && !steps->exact) refuse(text, kind, "it is not a whole number of bytes");
    return steps->nearest;
  }
  std::vector<std::string_view> names;
  for (const QuantityUnit& unit : kind.units) names.push_back(unit.name);
  if (&kind == &byte_cost_kind)
    for (const QuantityUnit& unit : rate_units) names.push_back(unit.name);
  const auto meant = unit_meant(number->rest, names);
  refuse(text, kind,
         quoted(number->rest) + " is not a unit of a " + std::string(kind.noun) +
             (&kind == &size_kind && number->rest == "KB" ? " (did you mean kB = 1000 B or KiB = 1024 B?)"
              : meant                                     ? " (did you mean " + std::string(*meant) + "?)"
                                                          : ""));
}

/// strtod rounds a decimal once, correctly; appending the exponent keeps a percentage exact.
double to_double(std::string_view spelling, int extra_exponent) {
  const auto number = leading_number(spelling);
  const std::string digits = [&] {
    std::string reversed;
    for (Wide rest = number->number.digits; rest > 0; rest /= 10)
      reversed += static_cast<char>('0' + static_cast<int>(rest % 10));
    return std::string(reversed.rbegin(), reversed.rend());
  }();
  if (digits.empty()) return 0;
  const std::string plain = digits + "e" + std::to_string(number->number.exponent + extra_exponent);
  double value = 0;
  const auto result = std::from_chars(plain.data(), plain.data() + plain.size(), value);
  return result.ec == std::errc() ? value : std::numeric_limits<double>::infinity();
}

/// What a byte takes at a rate, to the nearest femtosecond.
ByteCost cost_at(std::string_view text) {
  constexpr std::int64_t fs_per_second_and_byte = 8 * thousand * thousand * billion;  // 8 bits of 10^15 fs
  const std::int64_t rate = parse_bit_rate(text).bits_per_second();
  const std::int64_t fs =
      fs_per_second_and_byte / rate + (fs_per_second_and_byte % rate >= rate - rate / 2 ? 1 : 0);
  if (fs == 0)
    refuse(text, byte_cost_kind,
           "it is so fast that a byte takes less than " + std::string(byte_cost_kind.step));
  return ByteCost::from_fs(fs);
}

}  // namespace

SimTime parse_time(std::string_view text) {
  return SimTime::from_ps(parse_steps(text, time_kind));
}

Bytes parse_bytes(std::string_view text) {
  return Bytes(parse_steps(text, size_kind));
}

BitRate parse_bit_rate(std::string_view text) {
  const std::int64_t rate = parse_steps(text, rate_kind);
  if (rate == 0) refuse(text, rate_kind, "it must be more than 0");
  return BitRate(rate);
}

ByteCost parse_byte_cost(std::string_view text) {
  if (const auto number = leading_number(trimmed(text))) {
    const auto is_meant = [&](const QuantityUnit& unit) { return unit.name == number->rest; };
    if (std::ranges::any_of(rate_units, is_meant)) return cost_at(text);
  }
  return ByteCost::from_fs(parse_steps(text, byte_cost_kind));
}

double parse_share(std::string_view text) {
  const auto refuse_share = [&](const char* why) {
    throw Error(quoted(text) + " is not a share: " + why +
                R"(; write a percentage or a number, such as "25 %" or 0.25)");
  };
  const std::string_view words = trimmed(text);
  if (!words.empty() && words.front() == '-') refuse_share("it can't be negative");
  const auto number = leading_number(words);
  if (!number) refuse_share("it does not begin with a number");
  if (!number->rest.empty() && number->rest != "%") refuse_share("its only unit is %");
  const double share = to_double(number->spelling, number->rest.empty() ? 0 : -2);
  if (!std::isfinite(share)) refuse_share("it is too large");
  return share;
}

double parse_factor(std::string_view text) {
  const auto refuse_factor = [&](const char* why) {
    throw Error(quoted(text) + " is not a factor: " + why + "; write a plain number, such as 1.5");
  };
  const std::string_view words = trimmed(text);
  if (!words.empty() && words.front() == '-') refuse_factor("it can't be negative");
  const auto number = leading_number(words);
  if (!number) refuse_factor("it does not begin with a number");
  if (!number->rest.empty()) refuse_factor("it takes no unit");
  const double factor = to_double(number->spelling, 0);
  if (!std::isfinite(factor)) refuse_factor("it is too large");
  return factor;
}

std::int64_t parse_count(std::string_view text, std::string_view unit) {
  const auto refuse_count = [&](const std::string& why) {
    const std::string example = unit.empty() ? "4" : "\"200 " + std::string(unit) + "\" or 200";
    throw Error(quoted(text) + " is not a count" + (unit.empty() ? "" : " of " + std::string(unit)) + ": " +
                why + "; write a whole number, such as " + example);
  };
  const std::string_view words = trimmed(text);
  if (!words.empty() && words.front() == '-') refuse_count("it can't be negative");
  const auto number = leading_number(words);
  if (!number) refuse_count("it does not begin with a number");
  if (!number->rest.empty() && number->rest != unit && number->rest != singular(unit))
    refuse_count(unit.empty() ? "it takes no unit" : "its only unit is " + std::string(unit));
  for (const char c : number->spelling)
    if (!is_digit(c)) refuse_count("it is not written as a whole number");
  const auto count = rounded(number->number, 1, 1);
  if (!count) refuse_count("it is too large");
  return count->nearest;
}

}  // namespace morgana
