#include "traces/otf2/number_list.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdint>
#include <system_error>

namespace morgana {

void append_number_list(std::string& text, const std::vector<std::int64_t>& numbers) {
  for (std::size_t i = 0; i < numbers.size();) {
    std::size_t after = i + 1;
    while (after < numbers.size() && numbers[after] == numbers[i]) ++after;
    if (i > 0) text += ' ';
    if (after - i > 1)
      text += fmt::format("{}*{}", numbers[i], after - i);
    else
      text += fmt::format("{}", numbers[i]);
    i = after;
  }
}

std::optional<std::vector<std::int64_t>> parse_number_list(std::string_view text, std::size_t limit) {
  std::vector<std::int64_t> numbers;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    std::int64_t number = 0;
    auto result = std::from_chars(at, end, number);
    if (result.ec != std::errc()) return std::nullopt;
    std::size_t times = 1;
    if (result.ptr != end && *result.ptr == '*') {
      result = std::from_chars(result.ptr + 1, end, times);
      if (result.ec != std::errc()) return std::nullopt;
    }
    if (times == 0 || times > limit - numbers.size()) return std::nullopt;
    numbers.insert(numbers.end(), times, number);
    at = result.ptr;
    if (at == end) break;
    if (*at != ' ' || at + 1 == end) return std::nullopt;
    ++at;
  }
  return numbers;
}

}  // namespace morgana
