#include "emulator/report/pictures/time_space.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace morgana {
namespace {

using testing::HasSubstr;
using testing::Not;

const TimeSpace two_stages{"It's a title",
                           "time (us)",
                           {"copy", "wire"},
                           {{0, 0, 10, 0, "0"}, {1, 10, 100, 0, "first"}, {0, 10, 10.5, 1, "no room"}}};

TEST(TimeSpace, HasABoxForEachTransferInItsRow) {
  const std::string script = gnuplot_script(two_stages, "t.svg");
  EXPECT_THAT(script, HasSubstr("'copy' 0, 'wire' 1"));
  EXPECT_THAT(script, HasSubstr("rectangle from 0,-0.375 to 10,0.375"));
  EXPECT_THAT(script, HasSubstr("rectangle from 10,0.625 to 100,1.375"));
  EXPECT_THAT(script, HasSubstr("set xrange [0:100]"));
  EXPECT_THAT(script, HasSubstr("'It''s a title'"));
}

TEST(TimeSpace, NamesOnlyBoxesWithRoomForIt) {
  const std::string script = gnuplot_script(two_stages, "t.svg");
  EXPECT_THAT(script, HasSubstr("set label 'first' at 55,1"));
  EXPECT_THAT(script, Not(HasSubstr("no room")));
}

TEST(TimeSpace, IsDrawnAsSvgOrPng) {
  EXPECT_THROW(gnuplot_script(two_stages, "t.gif"), Error);
}

}  // namespace
}  // namespace morgana
