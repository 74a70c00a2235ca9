#include "cli/validators.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace morgana::cli {

CLI::Validator one_of(const std::vector<std::string>& words) {
  const auto check = [words](const std::string& text) -> std::string {
    if (std::find(words.begin(), words.end(), text) != words.end()) return "";
    std::string all = words.front();
    for (std::size_t i = 1; i < words.size(); ++i) all += (i + 1 < words.size() ? ", " : " or ") + words[i];
    return fmt::format("\"{}\" is not {}", text, all);
  };
  return CLI::Validator(check, "");
}

CLI::Validator whole_number(std::int64_t least, std::int64_t most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number >= least && number <= most)
      return "";
    return fmt::format("\"{}\" is no whole number from {} to {}", text, least, most);
  };
  return CLI::Validator(check, "");
}

}  // namespace morgana::cli
