#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "emulator/core/random.h"
#include "tests/integration/support/leftovers.h"
#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/started_process.h"

namespace morgana::test {

/// A number from the environment.
std::uint64_t number_from(const char* variable, std::uint64_t otherwise);

/// Runs whose processes are struck at moments drawn from MORGANA_SEED, which the test prints: each is told by
/// its number from whatever else runs at the same time, and leaves nothing behind.
class StruckRuns : public MorganaTest {
 protected:
  /// However slow the machine, a run takes no longer: else it hangs.
  static constexpr std::chrono::minutes forever{2};

  explicit StruckRuns(const char* stream);
  ~StruckRuns() override;

  std::uint64_t seed() const { return seed_; }
  RandomStream& random() { return random_; }
  /// "NAME=VALUE" in the environment of all processes of the run.
  std::string mark(int run) const { return "MORGANA_TEST_MARK=" + path(std::to_string(run)); }
  std::vector<SeenProcess> processes_of(int run) const { return processes_with(mark(run)); }
  /// All that must be gone is gone, at the latest after a while: what other tests kill at the same time is
  /// not told apart.
  /// @param begin  of the run, in seconds since 1970
  void expect_nothing_left(int run, long begin) const;

 private:
  std::vector<std::string> left_behind(int run, long begin) const;

  std::uint64_t seed_;
  RandomStream random_;
};

}  // namespace morgana::test
