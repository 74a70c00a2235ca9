#include "pvmshim/launch/pvm/endless_computing.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "pvmshim/channel/processor_clock.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;

constexpr Rank rank{1};

void compute_for(std::chrono::nanoseconds time) {
  for (const std::int64_t until = own_processor_ns() + time.count(); own_processor_ns() < until;) {
  }
}

TEST(EndlessComputing, IsToldOnceItHasUsedMoreProcessorTime) {
  EndlessComputing endless(5ms);
  EXPECT_FALSE(endless.look(rank, getpid()));
  compute_for(6ms);
  EXPECT_TRUE(endless.look(rank, getpid()));
  EXPECT_FALSE(endless.look(rank, getpid())) << "it has been told already";
}

TEST(EndlessComputing, BeginsAnewWithEveryWord) {
  EndlessComputing endless(1h);
  EXPECT_FALSE(endless.look(rank, getpid()));
  EndlessComputing impatient(0ns);
  impatient.look(rank, getpid());
  impatient.spoke(rank);
  compute_for(1ms);
  EXPECT_FALSE(impatient.look(rank, getpid()));
}

TEST(EndlessComputing, IsNotToldOfAProcessThatHasEnded) {
  EndlessComputing endless(0ns);
  constexpr int nobody = (1 << 22) + 1;  // above any that the kernel gives
  EXPECT_FALSE(endless.look(rank, nobody));
  EXPECT_FALSE(endless.look(rank, nobody));
}

}  // namespace
}  // namespace morgana
