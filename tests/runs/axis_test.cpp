#include "runs/sweep/axis.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/messages.h"

namespace morgana {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

std::vector<std::string> values(const std::string& text) {
  return parse_axis("k.v=" + text).values;
}

std::string error_of(const std::string& text) {
  try {
    parse_axis(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(Axis, ListsValuesAsTheyStand) {
  const Axis axis = parse_axis("network.rate = 10 Mb/s, 1 Gb/s,infinite");
  EXPECT_EQ(axis.key, "network.rate");
  EXPECT_THAT(axis.values, ElementsAre("10 Mb/s", "1 Gb/s", "infinite"));
}

TEST(Axis, CountsFromOneEndToTheOtherExactly) {
  EXPECT_THAT(values("0..500 us:100 us"),
              ElementsAre("0 us", "100 us", "200 us", "300 us", "400 us", "500 us"));
  EXPECT_THAT(values("0.1..0.5:0.1"), ElementsAre("0.1", "0.2", "0.3", "0.4", "0.5"));
  EXPECT_THAT(values("9.5..10.5 %:0.25"), ElementsAre("9.5 %", "9.75 %", "10 %", "10.25 %", "10.5 %"));
  EXPECT_THAT(values("3..3:1"), ElementsAre("3"));
}

TEST(Axis, StopsAtTheLastStepBeforeTheEnd) {
  EXPECT_THAT(values("1..10:4"), ElementsAre("1", "5", "9"));
  EXPECT_THAT(values("1..10:x4"), ElementsAre("1", "4"));
}

TEST(Axis, Multiplies) {
  EXPECT_THAT(values("64..1024 cells:x4"), ElementsAre("64 cells", "256 cells", "1024 cells"));
  EXPECT_THAT(values("0.1 us..10 us:x10"), ElementsAre("0.1 us", "1 us", "10 us"));
}

TEST(Axis, MixesValuesAndRanges) {
  EXPECT_THAT(values("1,10..30:10,infinite"), ElementsAre("1", "10", "20", "30", "infinite"));
}

TEST(Axis, TakesPathsWithDotsForWords) {
  EXPECT_THAT(values("../ours.toml,./a..b.toml"), ElementsAre("../ours.toml", "./a..b.toml"));
}

TEST(Axis, TakesListsWithTheirBracketsForOneValueEach) {
  EXPECT_THAT(values("[3,1], [1, 1] ,round-robin,[strict,1]"),
              ElementsAre("[3,1]", "[1, 1]", "round-robin", "[strict,1]"));
  EXPECT_THAT(values("a[1,2]"), ElementsAre("a[1", "2]"));
  expect_message(error_of("a.b=1,[3,1"), "[3,1");
  expect_message(error_of("a.b=[3,1]2,4"), {"\"2\"", "3,1"});
  expect_message(error_of("a.b=[1,2],[1,2]"), "--over a.b=[1,2],[1,2]: [1,2] ");
}

TEST(Axis, SaysWhatIsWrongWithARange) {
  expect_message(error_of("a.b=1 us..2 ms:1 us"), "--over a.b=");
  expect_message(error_of("a.b=1..2"), {"--over a.b=1..2: 1..2 ", "step"});
  expect_message(error_of("a.b=2..1:1"), "--over a.b=2..1:1: 2..1:1 ");
  expect_message(error_of("a.b=1..2:0"), {"--over a.b=1..2:0: 1..2:0 ", "step"});
  expect_message(error_of("a.b=1..2:x1"), {"--over a.b=1..2:x1: 1..2:x1 ", "factor"});
  expect_message(error_of("a.b=0..2:x2"), "--over a.b=0..2:x2: 0..2:x2 ");
  expect_message(error_of("a.b=1..z:1"), "\"z\"");
  expect_message(error_of("a.b=1..1000000:1"), {"--over a.b=1..1000000:1", "10000 values"});
  expect_message(error_of("a.b=1..9 us:x2 us"), {"--over a.b=1..9 us:x2 us: 1..9 us:x2 us ", "factor"});
}

TEST(Axis, WantsAKeyAndValues) {
  expect_message(error_of("network.rate"), "\"=\"");
  expect_message(error_of("=1"), "\"=\"");
  expect_message(error_of("a.b="), "--over a.b=:");
  expect_message(error_of("a.b=1,,2"), "--over a.b=1,,2:");
  expect_message(error_of("a.b=1,2,1"), "--over a.b=1,2,1:");
}

TEST(Axis, IsToldInOneLine) {
  for (const char* text : {"a.b=1..2", "a.b=1 us..2 ms:1", "a", "a.b=1,1"})
    EXPECT_THAT(error_of(text), Not(HasSubstr("\n")));
}

TEST(Seeds, AreCountedFromOneOrGivenAsARange) {
  EXPECT_THAT(parse_seeds("3"), ElementsAre(1u, 2u, 3u));
  EXPECT_THAT(parse_seeds("7..9"), ElementsAre(7u, 8u, 9u));
  for (const char* wrong : {"0", "", "x", "3..2", "1..", "1.5", "-1", "1..1000000"})
    EXPECT_THROW(parse_seeds(wrong), Error) << wrong;
}

std::vector<std::string> with_last_unit(const std::string& values) {
  Axis axis = parse_axis("k.v=" + values);
  share_last_unit(axis);
  return axis.values;
}

TEST(Axis, GivesTheLastUnitToThePlainNumbersBeforeIt) {
  EXPECT_THAT(with_last_unit("100,200,400 Mb/s"), ElementsAre("100 Mb/s", "200 Mb/s", "400 Mb/s"));
  EXPECT_THAT(with_last_unit("1 Gb/s,200,400Mb/s"), ElementsAre("1 Gb/s", "200 Mb/s", "400Mb/s"));
  EXPECT_THAT(with_last_unit("infinite,1.5,4 us"), ElementsAre("infinite", "1.5 us", "4 us"));
  EXPECT_THAT(with_last_unit("100,200..300:100 Mb/s"), ElementsAre("100 Mb/s", "200 Mb/s", "300 Mb/s"));
}

TEST(Axis, LeavesNumbersAloneWhereTheLastValueHasNoUnitOrIsAPercentage) {
  EXPECT_THAT(with_last_unit("1,2,4"), ElementsAre("1", "2", "4"));
  EXPECT_THAT(with_last_unit("100 Mb/s,200"), ElementsAre("100 Mb/s", "200"));
  EXPECT_THAT(with_last_unit("0.1,20 %"), ElementsAre("0.1", "20 %"));
}

TEST(Axis, RefusesAValueThatTheLastUnitMakesTheSameAsAnother) {
  EXPECT_THROW(with_last_unit("100,100 Mb/s"), Error);
}

}  // namespace
}  // namespace morgana
