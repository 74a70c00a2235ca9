#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace morgana {

/// All that a file holds which should be small; never reads on for ever, as in /dev/zero or a pipe that
/// nobody closes.
/// @throws Error naming the file if it can't be read, or if it has more than `most` bytes
std::string read_at_most(const std::filesystem::path& file, std::size_t most);

}  // namespace morgana
