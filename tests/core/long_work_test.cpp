#include "emulator/core/long_work.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace morgana {
namespace {

std::vector<double> shares;
std::string last_what;

void note(const char* what, double share) {
  last_what = what;
  shares.push_back(share);
}

class LongWorkTest : public testing::Test {
 protected:
  LongWorkTest() { shares.clear(); }
  ~LongWorkTest() override { tell_work_to(nullptr); }
};

TEST_F(LongWorkTest, TellsHowMuchIsDone) {
  tell_work_to(note);
  LongWork work("counting", 4);
  for (int step = 0; step < 4; ++step) work.advance();
  EXPECT_EQ(shares, (std::vector<double>{0, 0.25, 0.5, 0.75, 1}));
  EXPECT_EQ(last_what, "counting");
}

TEST_F(LongWorkTest, TellsOfManyStepsAThousandTimes) {
  tell_work_to(note);
  LongWork work("counting", 5'000'000);
  for (int step = 0; step < 5'000'000; ++step) work.advance();
  EXPECT_EQ(shares.size(), 1001U);
  EXPECT_DOUBLE_EQ(shares.back(), 1);
}

TEST_F(LongWorkTest, IsBrokenOffByItsListener) {
  tell_work_to([](const char*, double share) {
    if (share >= 0.5) throw std::runtime_error("enough");
  });
  LongWork work("counting", 2);
  EXPECT_THROW(work.advance(), std::runtime_error);
}

TEST_F(LongWorkTest, NeedsNoListener) {
  LongWork work("counting", 0);
  work.advance();
  EXPECT_TRUE(shares.empty());
}

}  // namespace
}  // namespace morgana
