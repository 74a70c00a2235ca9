#include "pvmshim/channel/shared_core.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace morgana {
namespace {

/// So many turns in a row make it worth while to move.
constexpr unsigned turns_before_meeting = 16;

cpu_set_t only(int core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(core), &set);
  return set;
}

/// Gives the threads of a process that run on `core` alone the processors `before`; threads that were started
/// meanwhile have inherited the mask.
void set_free(pid_t process, const cpu_set_t& core, const cpu_set_t& before) {
  std::error_code ignored;
  for (const auto& entry :
       std::filesystem::directory_iterator(fmt::format("/proc/{}/task", process), ignored)) {
    const pid_t thread = std::atoi(entry.path().filename().c_str());
    cpu_set_t mask;
    if (sched_getaffinity(thread, sizeof mask, &mask) == 0 && CPU_EQUAL(&mask, &core))
      sched_setaffinity(thread, sizeof before, &before);
  }
}

}  // namespace

void SharedCore::before_waking(std::size_t rank, pid_t process, bool alone) {
  if (!alone) {
    part();
    return;
  }
  if (!core_ && ++turns_ >= turns_before_meeting) meet();
  Placed& placed = ranks_[rank];
  if (!core_ || placed.on_core) return;
  const cpu_set_t core = only(*core_);
  // A process that may not be moved, or has died, stays where it is.
  if (sched_getaffinity(process, sizeof placed.before, &placed.before) != 0 ||
      sched_setaffinity(process, sizeof core, &core) != 0)
    return;
  placed.process = process;
  placed.on_core = true;
  placed_.push_back(rank);
}

void SharedCore::meet() {
  const int here = sched_getcpu();
  if (here < 0 || here >= CPU_SETSIZE) return;
  const cpu_set_t core = only(here);
  if (sched_getaffinity(0, sizeof emulator_before_, &emulator_before_) == 0 &&
      sched_setaffinity(0, sizeof core, &core) == 0)
    core_ = here;
}

void SharedCore::part() {
  turns_ = 0;
  if (!core_) return;
  for (const std::size_t rank : placed_) {
    Placed& placed = ranks_[rank];
    set_free(placed.process, only(*core_), placed.before);
    placed.on_core = false;
  }
  placed_.clear();
  sched_setaffinity(0, sizeof emulator_before_, &emulator_before_);
  core_.reset();
}

}  // namespace morgana
