#include "emulator/report/settings_text.h"

#include <algorithm>
#include <string_view>

namespace morgana {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '"')) text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

std::string_view key_of(std::string_view setting) {
  return trimmed(setting.substr(0, setting.find('=')));
}

bool replaces(std::string_view later, std::string_view earlier) {
  const std::size_t equals = later.find('=');
  const bool is_multiple =
      equals != std::string_view::npos && trimmed(later.substr(equals + 1)).starts_with('x');
  return !is_multiple && key_of(later) == key_of(earlier);
}

}  // namespace

std::string settings_text(std::span<const std::string> overrides) {
  std::string text;
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    const auto later = overrides.subspan(i + 1);
    if (std::ranges::any_of(later, [&](const std::string& one) { return replaces(one, overrides[i]); }))
      continue;
    if (!text.empty()) text += ", ";
    text += overrides[i];
  }
  return text;
}

}  // namespace morgana
