#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/common/options.h"
#include "pvmshim/agent/machines.h"
#include "runs/runner.h"

namespace morgana::cli {

/// On which machines a program's ranks run: --on, --with, --distribution and --machine-speed.
struct MachineOptions {
  std::string on;
  std::vector<std::string> with;
  std::string distribution;
  std::string speeds;

  void add(Command& command);
  /// Only --on and --with: where no ranks are distributed. @param purpose  what is done on the machines
  void add_machines(Command& command, const std::string& purpose);
  /// By which the runs of a command are shared out; none: this process makes them alone. In a worker, the way
  /// to what has started it.
  /// @param arguments  the command's there, without its results. @throws as RunDistributor
  std::shared_ptr<RunExchange> exchange(const std::function<std::vector<std::string>()>& arguments) const;
  /// @return nothing: all ranks run on this machine. @throws Error for options that need --on
  std::optional<Machines> machines() const;
};

}  // namespace morgana::cli
