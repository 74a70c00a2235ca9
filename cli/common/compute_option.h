#pragma once

#include <string>

#include "cli/common/options.h"
#include "pvmshim/channel/settings.h"

namespace morgana::cli {

/// --compute: what a live program's computing takes.
struct ComputeOption {
  std::string text = "measured";  ///< "measured", "none" or "recorded:TRACE"

  void add(Command& command);
  bool is_none() const { return text == "none"; }
  /// What the launched program is told.
  ComputeMode mode() const;
  /// Where compute times are taken from; empty if from no trace.
  std::string recorded_trace() const;
};

}  // namespace morgana::cli
