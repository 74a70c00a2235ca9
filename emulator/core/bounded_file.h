#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace morgana {

/// All that a file holds which should be small; never reads on forever, as in /dev/zero or a pipe that
/// nobody closes.
/// @param named_by  the key or option that names the file, for messages; empty: the user has named it alone
/// @throws Error naming both if the file can't be read, or if it has more than `most` bytes
std::string read_at_most(const std::filesystem::path& file, std::size_t most,
                         const std::string& named_by = {});

}  // namespace morgana
