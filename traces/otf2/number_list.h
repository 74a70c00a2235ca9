#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace morgana {

/// Whole numbers as text, repetitions counted: 4096, 4096, 4096, 12 is "4096*3 12"; no number is "".
void append_number_list(std::string& text, const std::vector<std::int64_t>& numbers);

/// @return nothing if the text is no such list, or one of more than `limit` numbers
std::optional<std::vector<std::int64_t>> parse_number_list(std::string_view text, std::size_t limit);

}  // namespace morgana
