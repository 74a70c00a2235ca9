#pragma once

#include <cstdint>

namespace morgana {

/// OTF2 keeps a file open for each location: asks the system for space for `files` more than usual, as far as
/// it grants any.
void raise_open_file_limit(std::uint64_t files);

}  // namespace morgana
