#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

namespace morgana {

/// Checks that a file of OTF2 records has OTF2's end mark, before OTF2 reads the file. OTF2 does not notice a
/// missing end: on a truncated trace it reads on in its memory, and returns records of other files or never
/// ends.
/// @return its size in bytes: more records than that it can't hold
/// @throws Error naming the file if it can't be read, or has no such end
std::uint64_t size_of_whole(const std::filesystem::path& file);

/// How many records a location's file of events holds by its own account, in its last chunk's header. The
/// definitions announce a number, too, and some tools announce a wrong one.
/// @param size  of the file, see size_of_whole() @param chunk  of the archive's files of events, in bytes, >
/// 0
/// @return nothing where the header is not of the known form
std::optional<std::uint64_t> records_held(const std::filesystem::path& file, std::uint64_t size,
                                          std::uint64_t chunk);

/// Where a location's records are. @param anchor  the trace's .otf2 file @param extension  "evt" or "def"
std::filesystem::path file_of_location(const std::filesystem::path& anchor, std::uint64_t location,
                                       const char* extension);

}  // namespace morgana
