#pragma once

#include <filesystem>
#include <vector>

namespace morgana::dumpi {

/// Whether a file is one of a DUMPI trace: the text PREFIX.meta, or a rank's PREFIX-0000.bin.
bool is_dumpi(const std::filesystem::path& file);

/// The files of a trace, by rank: PREFIX-NUMBER.bin beside the file. If there is PREFIX.meta, it says how
/// many they are.
/// @param file  the .meta file or that of any rank
/// @throws Error naming the file that is missing
std::vector<std::filesystem::path> rank_files(const std::filesystem::path& file);

}  // namespace morgana::dumpi
