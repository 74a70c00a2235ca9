#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <set>
#include <string>
#include <vector>

namespace morgana {

/// Reports processes without which a run does not go on, and which are stopped by a signal (SIGSTOP,
/// Ctrl-Z). They are waited for until they are continued.
class StoppedHelpers {
 public:
  struct Helper {
    std::string name;  ///< "mpiexec's hydra_pmi_proxy"
    pid_t process;
  };
  using Helpers = std::vector<Helper>;

  /// @param where  said behind the name: " on node7"; empty: on this machine
  explicit StoppedHelpers(std::string where = "") : where_(std::move(where)) {}

  /// To be called often: looks twice a second, and says once of each, on standard error, that it is stopped,
  /// if it was so at the look before, too.
  void look(const std::function<Helpers()>& helpers);

 private:
  using Clock = std::chrono::steady_clock;

  std::string where_;
  Clock::time_point next_look_ = Clock::now();
  std::set<pid_t> stopped_;  ///< at the last look
  std::set<pid_t> told_of_;
};

}  // namespace morgana
