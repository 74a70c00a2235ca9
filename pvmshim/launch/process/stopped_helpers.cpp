#include "pvmshim/launch/process/stopped_helpers.h"

#include <fmt/format.h>

#include "emulator/core/standard_error.h"
#include "pvmshim/launch/process/process_state.h"

namespace morgana {

void StoppedHelpers::look(const std::function<Helpers()>& helpers) {
  constexpr std::chrono::milliseconds between_looks{500};
  const auto now = Clock::now();
  if (now < next_look_) return;
  next_look_ = now + between_looks;
  std::set<pid_t> before;
  before.swap(stopped_);
  for (const auto& [name, process] : helpers()) {
    if (process <= 0 || told_of_.contains(process) || !state_of(process).is_stopped()) continue;
    stopped_.insert(process);
    if (!before.contains(process)) continue;
    told_of_.insert(process);
    print_error(fmt::format(
        "morgana: note: {} (process {}{}) is stopped by a signal, as SIGSTOP or Ctrl-Z does: the run "
        "waits until it goes on\n",
        name, process, where_));
  }
}

}  // namespace morgana
