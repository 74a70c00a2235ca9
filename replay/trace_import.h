#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "emulator/report/run_statistics.h"
#include "traces/import/imported_program.h"

namespace morgana {

struct TraceImport {
  RunStatistics statistics;          ///< of the program on the ideal platform
  std::vector<std::string> notices;  ///< sentences for the user
};

/// Runs the program of another simulator's trace on the ideal platform, where messages take no time, and
/// records it as an OTF2 trace that replays anywhere: it holds the ranks' compute times as they were given.
/// @param name  of the program, for the trace
/// @param trace  the folder to become the trace
/// @throws Error naming file and line of what can't be read; Deadlock if messages or collectives don't fit
/// together
TraceImport import_trace(ImportedProgram& program, const std::string& name,
                         const std::filesystem::path& trace);

}  // namespace morgana
