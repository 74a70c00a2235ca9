#include "traces/otf2/number_list.h"

#include <gtest/gtest.h>
#include <cstdint>

namespace morgana {
namespace {

using Numbers = std::vector<std::int64_t>;

std::string text_of(const Numbers& numbers) {
  std::string text;
  append_number_list(text, numbers);
  return text;
}

TEST(NumberList, CountsRepetitions) {
  EXPECT_EQ(text_of({4096, 4096, 4096, 12}), "4096*3 12");
  EXPECT_EQ(text_of({}), "");
  EXPECT_EQ(text_of({7}), "7");
}

TEST(NumberList, ReadsWhatItWrites) {
  for (const Numbers& numbers :
       {Numbers{}, Numbers{0}, Numbers{1, 2, 3}, Numbers{5, 5, 1, 1, 1, 0, 9'000'000'000}})
    EXPECT_EQ(parse_number_list(text_of(numbers), 10), numbers);
}

TEST(NumberList, RefusesWhatIsNoList) {
  for (const char* text :
       {" ", "1 ", " 1", "1  2", "x", "1*", "1*0", "1*-1", "1,2", "*3", "1*2*3", "99999999999999999999"})
    EXPECT_EQ(parse_number_list(text, 10), std::nullopt) << text;
}

TEST(NumberList, RefusesMoreNumbersThanItMayHold) {
  EXPECT_NE(parse_number_list("1*10", 10), std::nullopt);
  EXPECT_EQ(parse_number_list("1*10 2", 10), std::nullopt);
  EXPECT_EQ(parse_number_list("1*999999999999", 10), std::nullopt);
}

}  // namespace
}  // namespace morgana
