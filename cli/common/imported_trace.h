#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "replay/replay_input.h"

namespace morgana::cli {

/// What a replay runs of a trace of another tool (DUMPI, Dimemas, Paraver): imports it into a private folder,
/// reads that, and removes it. Null if the file is none.
/// @param notices  what the import has to say is added
/// @param progress  of reading, 0 to 1; may be empty
/// @throws Error for what can't be read; Deadlock if messages or collectives don't fit together
std::shared_ptr<const ReplayInput> read_imported(const std::filesystem::path& trace,
                                                 std::vector<std::string>& notices,
                                                 const std::function<void(double)>& progress);

}  // namespace morgana::cli
