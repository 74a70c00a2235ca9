#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

namespace morgana {

/// The content of a file that should be small. Stops at the limit, and so ends for /dev/zero or a pipe that
/// is never closed.
/// @param named_by  the key or option that names the file, for messages; empty: the user has named it alone
/// @throws Error naming both if the file can't be read, or if it has more than `most` bytes
std::string read_at_most(const std::filesystem::path& file, std::size_t most,
                         const std::string& named_by = {});

}  // namespace morgana
