#include "tests/integration/support/native_run.h"

namespace morgana::test {

std::string sleeping_progress() {
  return "LD_PRELOAD=" SLEEPING_PROGRESS;
}

FinishedProcess run_natively(int ranks, const std::vector<std::string>& command,
                             const std::vector<std::string>& environment) {
  std::vector<std::string> words{"mpiexec.mpich", "-n", std::to_string(ranks), "env", sleeping_progress()};
  words.insert(words.end(), environment.begin(), environment.end());
  words.insert(words.end(), command.begin(), command.end());
  return run_to_end(words);
}

}  // namespace morgana::test
