#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/operations/observer.h"

namespace morgana {

/// Reports a captured run to the observers (a TraceWriter, statistics): every rank's operations in its
/// program's order, the ranks' merged by when operations began.
/// @param folder  as given to run_capturing
/// @return a sentence for each rank whose log ends before its program did
/// @throws Error if a log is missing or holds nonsense
std::vector<std::string> read_capture(const std::filesystem::path& folder, std::size_t ranks,
                                      std::span<OperationObserver* const> observers);

}  // namespace morgana
