#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/common/options.h"
#include "replay/jobs/jobs.h"

namespace morgana::cli {

/// --beside and --beside-times of commands that replay.
struct BesideOptions {
  std::vector<std::string> traces;
  std::int64_t times = 1;

  void add(Command& command);
  /// Reads the traces. @throws Error for what is no trace
  std::vector<TraceBeside> jobs() const;
};

/// "other.otf2" or "other.otf2@5 ms": a trace, and when its ranks start. A file whose name has all of that is
/// taken by its name. @throws Error for a start that is no time
TraceBeside parse_beside(const std::string& text);

}  // namespace morgana::cli
