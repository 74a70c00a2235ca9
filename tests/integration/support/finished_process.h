#pragma once

#include <chrono>
#include <filesystem>
#include <string>
#include <vector>

namespace morgana::test {

/// What became of a command that was started.
struct FinishedProcess {
  int exit_code = -1;  ///< 128 + signal if one ended it
  bool timed_out = false;
  std::string out, err;
};

struct HowToRun {
  std::filesystem::path folder = ".";
  std::chrono::seconds limit{120};       ///< then the command and all its children are killed
  std::vector<std::string> environment;  ///< "NAME=VALUE" added
};

/// Runs a command to its end, its output captured, in a process group of its own.
FinishedProcess run_to_end(const std::vector<std::string>& command, const HowToRun& how = {});

}  // namespace morgana::test
