#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options.h"
#include "pvmshim/agent/machines.h"

namespace morgana::cli {

/// On which machines a program's ranks run: --on, --with and --distribution.
struct MachineOptions {
  std::string on;
  std::vector<std::string> with;
  std::string distribution = "block";

  void add(Command& command);
  /// @return nothing: all ranks run on this machine. @throws Error for options that need --on
  std::optional<Machines> machines() const;
};

}  // namespace morgana::cli
