#include "pvmshim/launch/process/standstill.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "pvmshim/channel/capture_log.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;

class StandstillTest : public testing::Test {
 protected:
  StandstillTest() {
    std::string name = testing::TempDir() + "standstill.XXXXXX";
    folder_ = mkdtemp(name.data());
    log_.emplace(folder_, Rank{0});
  }
  ~StandstillTest() override { std::filesystem::remove_all(folder_); }

  static void ends_a_call(CaptureLogWriter& log) {
    Operation operation;
    operation.kind = OperationKind::send;
    log.write(operation, SimTime(), SimTime(), {});
  }

  std::filesystem::path folder_;
  const Standstill::Clock::time_point start_{};
  std::optional<CaptureLogWriter> log_;
};

TEST_F(StandstillTest, IsToldOnceWhenNoLogHasGrownForSoLong) {
  CaptureLogWriter log(folder_, Rank{3});
  Standstill standstill(folder_, "MPI", 20s, start_);
  EXPECT_THAT(standstill.look(start_ + 5s), IsEmpty());  // the logs are new
  EXPECT_THAT(standstill.look(start_ + 24s), IsEmpty());
  EXPECT_THAT(standstill.look(start_ + 30s), HasSubstr("no call of MPI has ended for 20 s"));
  EXPECT_THAT(standstill.look(start_ + 60s), IsEmpty());
}

TEST_F(StandstillTest, OneRanksCallIsProgressOfAll) {
  CaptureLogWriter log(folder_, Rank{3});
  Standstill standstill(folder_, "PVM", 20s, start_);
  EXPECT_THAT(standstill.look(start_ + 5s), IsEmpty());
  ends_a_call(log);
  EXPECT_THAT(standstill.look(start_ + 25s), IsEmpty());
  ends_a_call(*log_);
  EXPECT_THAT(standstill.look(start_ + 45s), IsEmpty());
  EXPECT_THAT(standstill.look(start_ + 65s), HasSubstr("no call of PVM has ended for 20 s"));
  ends_a_call(log);  // it was no deadlock: the next standstill is another one
  EXPECT_THAT(standstill.look(start_ + 70s), IsEmpty());
  EXPECT_THAT(standstill.look(start_ + 90s), HasSubstr("Ctrl-C"));
}

// Nothing may be concluded from a log's size: it grows by whole megabytes.
TEST_F(StandstillTest, ManyCallsAreSeenOneByOne) {
  Standstill standstill(folder_, "MPI", 20s, start_);
  auto now = start_;
  for (int i = 0; i < 100; ++i) {
    for (int call = 0; call < 200; ++call) ends_a_call(*log_);
    EXPECT_THAT(standstill.look(now += 20s), IsEmpty()) << i;
  }
  EXPECT_THAT(standstill.look(now + 20s), HasSubstr("has ended for 20 s"));
}

TEST_F(StandstillTest, AProgramThatNeverBeginsIsToldOfToo) {
  Standstill standstill(folder_ / "empty", "MPI", 20s, start_);
  EXPECT_THAT(standstill.look(start_ + 10s), IsEmpty());
  EXPECT_THAT(standstill.look(start_ + 20s), HasSubstr("may compute, or wait forever"));
}

TEST_F(StandstillTest, IsNoneOnceEveryRankHasLeftTheLibrary) {
  CaptureLogWriter other(folder_, Rank{1});
  Standstill standstill(folder_, "MPI", 20s, start_);
  log_->close();
  EXPECT_THAT(standstill.look(start_ + 5s), IsEmpty());
  EXPECT_THAT(standstill.look(start_ + 30s), HasSubstr("no call of MPI has ended"));
  other.close();
  EXPECT_THAT(standstill.look(start_ + 35s), IsEmpty());
  EXPECT_THAT(standstill.look(start_ + 60s), IsEmpty());
}

/// Standard error is a full device meanwhile.
class FullStandardError {
 public:
  FullStandardError() {
    const int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    dup2(full, STDERR_FILENO);
    close(full);
  }
  ~FullStandardError() {
    dup2(before_, STDERR_FILENO);
    close(before_);
    std::clearerr(stderr);
  }
  FullStandardError(const FullStandardError&) = delete;
  FullStandardError& operator=(const FullStandardError&) = delete;

 private:
  int before_ = dup(STDERR_FILENO);
};

TEST_F(StandstillTest, IsNoReasonToEndARunOfWhichNobodyHears) {
  Standstill standstill(folder_, "MPI", 0s, start_);
  const FullStandardError full;
  EXPECT_NO_THROW(standstill.tell());
}

}  // namespace
}  // namespace morgana
