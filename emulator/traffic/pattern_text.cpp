#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "emulator/core/error.h"
#include "emulator/core/quantity.h"
#include "emulator/traffic/pattern.h"

namespace morgana {
namespace {

using Kind = TrafficPattern::Kind;

/// Patterns that a word alone names.
constexpr std::pair<const char*, Kind> plain_patterns[] = {{"uniform", Kind::uniform},
                                                           {"bit-reversal", Kind::bit_reversal},
                                                           {"bit-complement", Kind::bit_complement},
                                                           {"transpose", Kind::transpose},
                                                           {"tornado", Kind::tornado},
                                                           {"neighbour", Kind::neighbour},
                                                           {"random-permutation", Kind::random_permutation},
                                                           {"all-to-all", Kind::all_to_all}};

Error unknown_pattern(const std::string& text) {
  return Error(
      fmt::format("the traffic pattern {:?} is not one of uniform, bit-reversal, bit-complement, transpose, "
                  "tornado (tornado:8x8: in "
                  "each dimension), neighbour (neighbour:8x8), random-permutation, permutation:FILE, "
                  "hotspot:5% (hotspot:5%@17: "
                  "host 17), local:3 (local:3-1: at most 3 - 1 cables), next-group:32 (groups of 32 hosts), "
                  "group-to-group:32@0-1 (from group 0 to group 1), incast:16 (of 16 hosts; incast:16@3: to "
                  "host 3) and all-to-all",
                  text));
}

std::uint32_t number_in(const std::string& text, std::string_view digits) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || end != digits.data() + digits.size()) throw unknown_pattern(text);
  return number;
}

/// One that is more than 0.
std::uint32_t count_in(const std::string& text, std::string_view digits, const char* what) {
  const std::uint32_t number = number_in(text, digits);
  if (number == 0) throw Error(fmt::format("the traffic pattern {:?}: {} are at least 1", text, what));
  return number;
}

TrafficPattern parse_hotspot(const std::string& text, const std::string& rest) {
  TrafficPattern pattern{.kind = Kind::hotspot};
  const std::size_t at = rest.find('@');
  pattern.share = parse_share(rest.substr(0, at));
  if (pattern.share <= 0 || pattern.share > 1) {
    throw Error(
        fmt::format("the traffic pattern {:?}: a hot host's share is more than 0 and at most 100 %", text));
  }
  if (at != std::string::npos) pattern.hot_host = number_in(text, rest.substr(at + 1));
  return pattern;
}

TrafficPattern parse_local(const std::string& text, const std::string& rest) {
  TrafficPattern pattern{.kind = Kind::local};
  const std::size_t minus = rest.find('-');
  pattern.reach = number_in(text, rest.substr(0, minus));
  if (minus != std::string::npos) pattern.reach_less_cables = number_in(text, rest.substr(minus + 1));
  if (pattern.reach < pattern.reach_less_cables) {
    throw Error(fmt::format("the traffic pattern {:?}: {} switches less {} are no distance; say a larger one",
                            text, pattern.reach, pattern.reach_less_cables));
  }
  return pattern;
}

TrafficPattern parse_digits(const std::string& text, Kind kind, std::string_view rest) {
  TrafficPattern pattern{.kind = kind};
  while (true) {
    const std::size_t end = std::min(rest.find('x'), rest.size());
    pattern.sides.push_back(count_in(text, rest.substr(0, end), "sides"));
    if (end == rest.size()) return pattern;
    rest.remove_prefix(end + 1);
  }
}

TrafficPattern parse_group_to_group(const std::string& text, const std::string& rest) {
  const std::size_t at = rest.find('@'), minus = rest.find('-');
  if (at == std::string::npos || minus == std::string::npos || minus < at) throw unknown_pattern(text);
  TrafficPattern pattern{.kind = Kind::group_to_group};
  pattern.group = count_in(text, rest.substr(0, at), "hosts of a group");
  pattern.from_group = number_in(text, rest.substr(at + 1, minus - at - 1));
  pattern.to_group = number_in(text, rest.substr(minus + 1));
  if (pattern.from_group == pattern.to_group)
    throw Error(fmt::format("the traffic pattern {:?}: name two different groups", text));
  return pattern;
}

TrafficPattern parse_incast(const std::string& text, const std::string& rest) {
  TrafficPattern pattern{.kind = Kind::incast};
  const std::size_t at = rest.find('@');
  pattern.senders = count_in(text, rest.substr(0, at), "senders");
  if (at != std::string::npos) pattern.hot_host = number_in(text, rest.substr(at + 1));
  return pattern;
}

}  // namespace

TrafficPattern parse_pattern(const std::string& text) {
  for (const auto& [word, kind] : plain_patterns)
    if (text == word) return {.kind = kind};
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos) throw unknown_pattern(text);
  const std::string word = text.substr(0, colon), rest = text.substr(colon + 1);
  if (word == "hotspot") return parse_hotspot(text, rest);
  if (word == "local") return parse_local(text, rest);
  if (word == "tornado") return parse_digits(text, Kind::tornado, rest);
  if (word == "neighbour") return parse_digits(text, Kind::neighbour, rest);
  if (word == "group-to-group") return parse_group_to_group(text, rest);
  if (word == "incast") return parse_incast(text, rest);
  if (word == "next-group")
    return {.kind = Kind::next_group, .group = count_in(text, rest, "hosts of a group")};
  if (word == "permutation" && !rest.empty()) return {.kind = Kind::permutation, .file = rest};
  throw unknown_pattern(text);
}

std::string to_text(const TrafficPattern& pattern) {
  const unsigned usual = TrafficPattern().reach_less_cables;
  const std::string at = pattern.hot_host ? fmt::format("@{}", *pattern.hot_host) : "";
  switch (pattern.kind) {
    case Kind::hotspot:
      return fmt::format("hotspot:{:g}%{}", 100 * pattern.share, at);
    case Kind::local:
      return fmt::format("local:{}", pattern.reach) +
             (pattern.reach_less_cables == usual ? "" : fmt::format("-{}", pattern.reach_less_cables));
    case Kind::next_group:
      return fmt::format("next-group:{}", pattern.group);
    case Kind::group_to_group:
      return fmt::format("group-to-group:{}@{}-{}", pattern.group, pattern.from_group, pattern.to_group);
    case Kind::incast:
      return fmt::format("incast:{}{}", pattern.senders, at);
    case Kind::permutation:
      return "permutation:" + pattern.file;
    case Kind::uniform:
    case Kind::bit_reversal:
    case Kind::bit_complement:
    case Kind::transpose:
    case Kind::tornado:
    case Kind::neighbour:
    case Kind::random_permutation:
    case Kind::all_to_all:
      break;
  }
  std::string text;
  for (const auto& [word, kind] : plain_patterns)
    if (kind == pattern.kind) text = word;
  return pattern.sides.empty() ? text : fmt::format("{}:{}", text, fmt::join(pattern.sides, "x"));
}

}  // namespace morgana
