#include "pvmshim/launch/interrupt.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

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

}  // namespace
}  // namespace morgana
