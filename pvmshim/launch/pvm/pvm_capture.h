#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "emulator/core/error.h"

namespace morgana {

/// Runs a PVM program over the real PVM, with a daemon of its own on this machine alone; every task records
/// what it does, in `folder` (pvm_capture_to_trace.h reads it). What spawned tasks print goes to standard
/// error afterwards, unless the program catches it. However it ends, no process and no file of PVM's stays.
/// @param folder  exists, for this run alone
/// @param quiet  not to report a program of which no call ends
/// @return the program's exit code. @throws Error if the program is not one for PVM or the daemon can't be
/// started; Interrupted (interrupt.h)
int run_capturing_pvm(const std::vector<std::string>& command, const std::filesystem::path& folder,
                      bool quiet);

}  // namespace morgana
