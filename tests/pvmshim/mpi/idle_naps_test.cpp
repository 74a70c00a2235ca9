#include "pvmshim/mpi/emulate/ucx/idle_naps.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace morgana::mpi::emulated {
namespace {

using namespace std::chrono_literals;

void look(IdleNaps& naps, int times, bool threads = false) {
  for (int i = 0; i < times; ++i) EXPECT_EQ(naps.after(false, threads, false), std::nullopt) << i;
}

TEST(IdleNaps, GrowWhileNothingComes) {
  IdleNaps naps(1000us);
  look(naps, IdleNaps::first_looks);
  for (const auto nap : {120us, 240us, 480us, 960us, 1000us, 1000us})
    EXPECT_EQ(naps.after(false, false, false), nap);
  EXPECT_EQ(naps.after(true, false, false), std::nullopt);
  look(naps, IdleNaps::first_looks);  // what has come begins them anew
}

TEST(IdleNaps, AreNotTakenAtTheFirstLooksOfACall) {
  IdleNaps naps(20ms);
  for (int look = 0; look < 20; ++look) naps.after(false, false, false);
  naps.begin(1);
  look(naps, IdleNaps::first_looks);
  naps.begin(1);
  EXPECT_EQ(naps.after(false, false, false), 120us) << "the same call waits on";
  naps.begin(2);
  look(naps, IdleNaps::first_looks);
}

TEST(IdleNaps, StayShortForThreadsAndWhereMpichIsLentTime) {
  IdleNaps naps(20ms);
  look(naps, IdleNaps::first_looks, true);
  for (int look = 0; look < 32; ++look) EXPECT_EQ(naps.after(false, true, false), IdleNaps::shortest);
  EXPECT_EQ(naps.after(false, true, false), 2 * IdleNaps::shortest);
  EXPECT_EQ(naps.after(false, true, true), IdleNaps::shortest);
}

}  // namespace
}  // namespace morgana::mpi::emulated
