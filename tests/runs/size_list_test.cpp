#include "runs/size_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "emulator/core/error.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal_of_sizes(const char* text) {
  try {
    parse_sizes(text);
  } catch (const Error& error) {
    return error.what();
  }
  return "it was read";
}

TEST(SizeList, ReadsSizesAndRanges) {
  EXPECT_THAT(parse_sizes("1 KiB, 3 B"), ElementsAre(Bytes(1024), Bytes(3)));
  EXPECT_THAT(parse_sizes("8 B..64 B:x2"), ElementsAre(Bytes(8), Bytes(16), Bytes(32), Bytes(64)));
  EXPECT_THAT(parse_sizes("512 B..2 KiB:512 B,1 MiB"),
              ElementsAre(Bytes(512), Bytes(1024), Bytes(1536), Bytes(2048), Bytes(1 << 20)));
  EXPECT_THAT(parse_sizes("4 B..10 B:x1.5"), ElementsAre(Bytes(4), Bytes(6), Bytes(9)));
  const std::vector<Bytes> all = parse_sizes("8 B..8 GiB:x2");
  EXPECT_EQ(all.size(), 31U);
  EXPECT_EQ(all.back(), Bytes(std::int64_t{8} << 30));
}

TEST(SizeList, RefusesWhatIsNone) {
  expect_message(refusal_of_sizes("0 B"), {"of 0 B", "1 B"});
  expect_message(refusal_of_sizes("0 B..8 B:x2"), {"of 0 B", "1 B"});
  expect_message(refusal_of_sizes("8 B..64 B"), "\"8 B..64 B\"");
  expect_message(refusal_of_sizes("64 B..8 B:x2"), "\"64 B..8 B:x2\"");
  expect_message(refusal_of_sizes("8 B..64 B:x1"), {"\"8 B..64 B:x1\"", "1.001"});
  expect_message(refusal_of_sizes("1 B..1 GiB:1 B"), "1000 sizes");
  expect_message(refusal_of_sizes("8"), "\"8\"");
  EXPECT_THAT(refusal_of_sizes(""), testing::Not(HasSubstr("it was read")));
}

}  // namespace
}  // namespace morgana
