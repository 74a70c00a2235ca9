#include "emulator/core/unit_meant.h"

#include <array>
#include <cctype>
#include <utility>

namespace morgana {
namespace {

void replace(std::string& text, std::string_view what, std::string_view with) {
  if (const std::size_t at = text.find(what); at != std::string::npos) text.replace(at, what.size(), with);
}

/// As our units are written, but for the case of their prefix.
std::string spelt_our_way(std::string_view spelling) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 9> ways{{{"bytes", "B"},
                                                                               {"byte", "B"},
                                                                               {"Bytes", "B"},
                                                                               {"Byte", "B"},
                                                                               {"bits", "b"},
                                                                               {"bit", "b"},
                                                                               {"Bit", "b"},
                                                                               {"secs", "s"},
                                                                               {"sec", "s"}}};
  std::string text(spelling);
  for (const auto& [theirs, ours] : ways) replace(text, theirs, ours);
  if (text.ends_with("bps") || text.ends_with("Bps")) text.replace(text.size() - 2, 2, "/s");
  return text;
}

/// Whether two spellings differ at most in the case of letters other than b and B.
bool same_but_for_prefix(std::string_view one, std::string_view other) {
  if (one.size() != other.size()) return false;
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  for (std::size_t i = 0; i < one.size(); ++i) {
    const bool data = lower(one[i]) == 'b';
    if (data ? one[i] != other[i] : lower(one[i]) != lower(other[i])) return false;
  }
  return true;
}

}  // namespace

std::optional<std::string_view> unit_meant(std::string_view spelling,
                                           std::span<const std::string_view> units) {
  const std::string text = spelt_our_way(spelling);
  std::optional<std::string_view> meant;
  for (const std::string_view unit : units) {
    if (unit == text) return unit;
    if (!same_but_for_prefix(unit, text)) continue;
    if (meant) return std::nullopt;
    meant = unit;
  }
  return meant;
}

}  // namespace morgana
