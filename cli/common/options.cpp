#include "cli/common/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <limits>
#include <system_error>

namespace morgana::cli {

ValueCheck one_of(const std::vector<std::string>& words) {
  const auto check = [words](const std::string& text) -> std::string {
    if (std::find(words.begin(), words.end(), text) != words.end()) return "";
    std::string all = words.front();
    for (std::size_t i = 1; i < words.size(); ++i) all += (i + 1 < words.size() ? ", " : " or ") + words[i];
    return fmt::format("\"{}\" is not {}", text, all);
  };
  return check;
}

ValueCheck number_between(double low, double high) {
  const auto check = [low, high](const std::string& text) -> std::string {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number > low && number < high) return "";
    return fmt::format("\"{}\" is not a number above {:g} and below {:g}", text, low, high);
  };
  return check;
}

ValueCheck whole_number(std::int64_t least, std::int64_t most) {
  const auto check = [least, most](const std::string& text) -> std::string {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc() && end == text.data() + text.size() && number >= least && number <= most)
      return "";
    return fmt::format("\"{}\" is not a whole number from {} to {}", text, least, most);
  };
  return check;
}

ValueCheck seed_number() {
  return whole_number(0, std::numeric_limits<std::int64_t>::max());
}

ValueCheck name_of_page() {
  return [](const std::string& text) -> std::string {
    const std::string ending = std::filesystem::path(text).extension();
    if (ending.empty() || ending == ".html" || ending == ".htm") return "";
    return fmt::format("{} does not end in .html, as the name of a web page must", text);
  };
}

ValueCheck something() {
  return [](const std::string& text) {
    return std::string(text.empty() ? "the value is empty: give one, or leave the option out" : "");
  };
}

}  // namespace morgana::cli
