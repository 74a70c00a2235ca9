#include "emulator/platform/toml_keys.h"

#include <algorithm>

namespace morgana {
namespace {

/// What is left of the text behind the string that it begins with; behind its line, if the string does not
/// end: then it is no TOML.
std::string_view behind_string(std::string_view text) {
  const char quote = text.front();
  const bool tripled = text.size() >= 3 && text[1] == quote && text[2] == quote;
  const std::string_view end = text.substr(0, tripled ? 3 : 1);
  std::size_t at = end.size();
  for (; at < text.size() && !text.substr(at).starts_with(end); ++at) {
    if (text[at] == '\\' && quote == '"' && at + 1 < text.size()) ++at;
    if (text[at] == '\n' && !tripled) return text.substr(at);
  }
  text.remove_prefix(at < text.size() ? at + end.size() : text.size());
  return text;
}

}  // namespace

std::optional<std::size_t> line_of_key_deeper_than(std::size_t most, std::string_view toml) {
  const std::string_view whole = toml;
  std::size_t dots = 0;  // since a key can have begun
  while (!toml.empty()) {
    const char c = toml.front();
    if (c == '"' || c == '\'') {
      toml = behind_string(toml);
      continue;
    }
    if (c == '#') {
      toml.remove_prefix(std::min(toml.find('\n'), toml.size()));
      continue;
    }
    if (std::string_view("\n=[]{},").find(c) != std::string_view::npos) dots = 0;
    if (c == '.' && ++dots >= most) {
      std::size_t line = 1;
      for (const char before : whole.substr(0, whole.size() - toml.size())) line += before == '\n' ? 1 : 0;
      return line;
    }
    toml.remove_prefix(1);
  }
  return std::nullopt;
}

}  // namespace morgana
