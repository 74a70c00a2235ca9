#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace morgana {

/// The TOML reader goes one level deeper on the stack for each part of a dotted key, "a.b.c", as often as
/// there are parts. @return the first line, counted from 1, on which a key has more parts than `most`
std::optional<std::size_t> line_of_key_deeper_than(std::size_t most, std::string_view toml);

}  // namespace morgana
