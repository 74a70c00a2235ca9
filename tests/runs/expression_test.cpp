#include "runs/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/messages.h"

namespace morgana {
namespace {

using testing::ElementsAre;

const std::vector<NamedValue> names_of_a_point{
    {"ranks", "12"},           {"n", "3"},    {"n2", "0.5"}, {"a-b", "7"}, {"network.rate", "10 Mb/s"},
    {"network.switches", "2"}, {"down", "-4"}};

std::string value_of(const std::string& expression) {
  return evaluate(expression, names_of_a_point, "--let x=" + expression).value;
}

std::string refusal_of(const std::string& expression) {
  try {
    return "no error: " + value_of(expression);
  } catch (const Error& error) {
    return error.what();
  }
}

TEST(Expression, ComputesByTheUsualPrecedence) {
  EXPECT_EQ(value_of("256*ranks"), "3072");
  EXPECT_EQ(value_of("2+3*4"), "14");
  EXPECT_EQ(value_of("(2+3)*4"), "20");
  EXPECT_EQ(value_of("20-4-3"), "13");
  EXPECT_EQ(value_of("24/4/3"), "2");
  EXPECT_EQ(value_of(" - ( ranks - 20 ) * -1.5 "), "-12");
  EXPECT_EQ(value_of("((((7))))"), "7");
}

TEST(Expression, IsExactInDecimalsAndRoundsOthersToTwelve) {
  EXPECT_EQ(value_of("0.1*3"), "0.3");
  EXPECT_EQ(value_of("0.1+0.2-0.3"), "0");
  EXPECT_EQ(value_of("1/3*3"), "1");
  EXPECT_EQ(value_of("1/8"), "0.125");
  EXPECT_EQ(value_of("1/3"), "0.333333333333");
  EXPECT_EQ(value_of("-2/3"), "-0.666666666667");
  EXPECT_EQ(value_of("0-0.0000000000001"), "0");
  EXPECT_EQ(value_of("999999999999999999"), "999999999999999999");
  EXPECT_EQ(value_of("ranks*1000000000000"), "12000000000000");
}

TEST(Expression, TakesTheLongestNameThatStandsThere) {
  EXPECT_EQ(value_of("n2*n"), "1.5");
  EXPECT_EQ(value_of("n-1"), "2");
  EXPECT_EQ(value_of("a-b-1"), "6");
  EXPECT_EQ(value_of("network.switches*down"), "-8");
  EXPECT_THAT(evaluate("n*ranks+n", names_of_a_point, "").used, ElementsAre("n", "ranks"));
}

TEST(Expression, RefusesWhatIsNoneAndSaysWhere) {
  expect_message(refusal_of("256*"), "--let x=256*:");
  expect_message(refusal_of("*3"), "\"*3\"");
  expect_message(refusal_of("(1+2"), "\")\"");
  expect_message(refusal_of("1+2)"), "\")\" can't follow");
  expect_message(refusal_of("1 2"), "\"2\" can't follow");
  expect_message(refusal_of("2ranks"), {"\"ranks\"", "number 2"});
  expect_message(refusal_of("1.2.3"), "--let x=1.2.3: 1.2.3");
  expect_message(refusal_of("."), {"--let x=.: . ", "ranks, n, n2"});
  expect_message(refusal_of("2^3"), "\"^3\" can't follow");
  expect_message(refusal_of("1e3"), {"\"e3\"", "number 1"});
  expect_message(refusal_of("rank*2"), {"rank ", "ranks, n, n2"});
  expect_message(refusal_of("2*network.rate"), {"network.rate", "10 Mb/s"});
  expect_message(refusal_of("1/(n-3)"), {"--let x=1/(n-3)", "n is 3"});
  expect_message(refusal_of("9999999999999999999"), {"9999999999999999999 ", "18 digits"});
  expect_message(refusal_of("0.0000000000000000001"), {"0.0000000000000000001 ", "18 digits"});
  expect_message(refusal_of("999999999999*999999999999"), {"999999999999*999999999999", "18 digits"});
  EXPECT_THAT(refusal_of(std::string(100'000, '(') + "1"), ::testing::HasSubstr("nested too deep"));
  EXPECT_THAT(refusal_of(std::string(100'000, '-') + "1"), ::testing::HasSubstr("nested too deep"));
}

TEST(Expression, IsBoundToAName) {
  const Binding binding = parse_binding(" n = 256 * ranks ");
  EXPECT_EQ(binding.name, "n");
  EXPECT_EQ(binding.expression, "256 * ranks");
  for (const char* wrong : {"n", "=2", "n=", ""}) EXPECT_THROW(parse_binding(wrong), Error) << wrong;
}

}  // namespace
}  // namespace morgana
