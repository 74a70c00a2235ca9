#include "pvmshim/launch/process/interrupt.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>

#include "emulator/core/unfinished_path.h"

namespace morgana {
namespace {

TEST(InterruptDeathTest, TheSameSignalTwiceAtOnceIsOneInterruption) {
  EXPECT_EXIT(
      {
        install_signal_handlers();
        raise(SIGINT);
        raise(SIGINT);
        raise(SIGTERM);
        _exit(interrupted() == SIGINT ? 0 : 1);
      },
      ::testing::ExitedWithCode(0), "");
}

TEST(InterruptDeathTest, WhatWaitsThrowsIt) {
  EXPECT_EXIT(
      {
        install_signal_handlers();
        throw_if_interrupted();
        raise(SIGTERM);
        try {
          throw_if_interrupted();
        } catch (const Interrupted& interruption) {
          _exit(interruption.signal() == SIGTERM ? 0 : 2);
        }
        _exit(1);
      },
      ::testing::ExitedWithCode(0), "");
}

/// What computes without asking whether it was interrupted.
[[noreturn]] void compute_for_ever() {
  while (true) {
    static std::atomic<int> work{0};
    ++work;
  }
}

TEST(InterruptDeathTest, WhatNeverAsksEndsWhereItIs) {
  EXPECT_EXIT(
      {
        install_signal_handlers();
        raise(SIGTERM);
        compute_for_ever();
      },
      ::testing::ExitedWithCode(143), "morgana: interrupted by signal 15 .Terminated.");
}

TEST(InterruptDeathTest, AWorkerLeavesTheMessageToItsParent) {
  EXPECT_EXIT(
      {
        install_signal_handlers();
        leave_message_to_parent();
        raise(SIGTERM);
        compute_for_ever();
      },
      ::testing::ExitedWithCode(143), "^$");
}

TEST(InterruptDeathTest, WhatEndsWhereItIsLeavesNothingHalfDone) {
  std::string name = ::testing::TempDir() + "morgana-half-XXXXXX";
  ASSERT_NE(mkdtemp(name.data()), nullptr);
  const std::string half = name;
  EXPECT_EXIT(
      {
        install_signal_handlers();
        const UnfinishedPath unfinished(half);
        std::ofstream(half + "/anchor") << "half";
        raise(SIGINT);
        compute_for_ever();
      },
      ::testing::ExitedWithCode(130), "interrupted by signal 2");
  EXPECT_FALSE(std::filesystem::exists(half));
}

// The helper takes a while to clean up, and the file that it leaves then is there when the process has ended.
TEST(InterruptDeathTest, WhatEndsWhereItIsWaitsForItsHelpers) {
  const std::string file = ::testing::TempDir() + "morgana-cleaned-" + std::to_string(getpid());
  EXPECT_EXIT(
      {
        install_signal_handlers();
        int lifeline[2];
        if (pipe(lifeline) != 0) _exit(1);
        const pid_t helper = fork();
        if (helper == 0) {
          close(lifeline[1]);
          char byte = 0;
          (void)!read(lifeline[0], &byte, 1);
          for (int i = 0; i < 100; ++i) sched_yield();
          std::ofstream(file) << "clean";
          _exit(0);
        }
        close(lifeline[0]);
        const HelperProcess registered(helper, lifeline[1], HelperProcess::Patience::long_enough);
        raise(SIGINT);
        compute_for_ever();
      },
      ::testing::ExitedWithCode(130), "");
  EXPECT_TRUE(std::filesystem::remove(file));
}

}  // namespace
}  // namespace morgana
