#pragma once

#include <string>

#include "cli/common/options.h"
#include "pvmshim/channel/settings.h"

namespace morgana::cli {

/// The option --compute: how much simulated time a live program's computing takes. --help has its values.
struct ComputeOption {
  std::string text = "measured";  ///< its value: "measured", "none" or "recorded:TRACE"

  /// Adds the option to the command. This object receives the value, and must outlive the reading of the
  /// command line, which rejects other values.
  void add(Command& command);
  bool is_none() const { return text == "none"; }
  /// The mode of the launched program: `measured` for "measured", else `none`. With "recorded:TRACE" the shim
  /// measures nothing, because the times come from the trace.
  ComputeMode mode() const;
  /// The path TRACE of "recorded:TRACE", whose compute times are used; empty for other values.
  std::string recorded_trace() const;
};

}  // namespace morgana::cli
