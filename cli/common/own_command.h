#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace morgana::cli {

/// Runs this program again with `arguments`, as a user would in `folder`, and waits for its end. Input,
/// output and errors are this process's own. If this process is interrupted the other one is, too.
/// @return its exit code, 128 + N of one that signal N ended
/// @throws Error if it can't be started; Interrupted
int run_own_command(const std::vector<std::string>& arguments, const std::filesystem::path& folder);

/// How a user writes a program: its name if PATH leads to this file, else its absolute path.
std::string name_as_called(const std::filesystem::path& program);

}  // namespace morgana::cli
