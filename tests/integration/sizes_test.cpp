#include <fstream>

#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/native_run.h"

namespace morgana::test {
namespace {

using testing::HasSubstr;

/// What the machine can still give, in GiB; from /proc/meminfo.
double available_memory() {
  std::ifstream file("/proc/meminfo");
  for (std::string word; file >> word;)
    if (double kibibytes = 0; word == "MemAvailable:" && file >> kibibytes) return kibibytes / (1 << 20);
  return 0;
}

/// Programs that ask for more than programs usually do.
class Sizes : public MorganaTest {
 protected:
  std::int64_t time_of_huge_message(const std::string& mebibytes) {
    EXPECT_THAT(succeed({"run", "-n", "2", "--quiet", "--compute", "none", "--platform", "loggp-example",
                         "--set", "network.gap-per-byte=1 ns/B", "--json", "run.json", "--",
                         program("huge_message"), mebibytes})
                    .out,
                HasSubstr("PASS"));
    return simulated_ps("run.json");
  }
};

TEST_F(Sizes, AMessageOfMoreThanTwoGigabytesArrivesWholeAndTakesItsTime) {
  constexpr double needed = 6;  // in the channel and at the receiver, and a reserve
  if (available_memory() < needed)
    GTEST_SKIP() << "needs " << needed << " GiB of free memory, the machine has " << available_memory();
  constexpr std::int64_t mebibyte = 1 << 20, picoseconds_per_byte = 1000;
  EXPECT_EQ(time_of_huge_message("2048") - time_of_huge_message("1"), 2047 * mebibyte * picoseconds_per_byte);
}

TEST_F(Sizes, AMessageThatDoesNotFitTheSharedMemoryIsRefusedWithItsSize) {
  const FinishedProcess result =
      morgana({"run", "-n", "2", "--quiet", "--compute", "none", "--", program("huge_message"), "4096"});
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, HasSubstr("a message of 4294967301 bytes doesn't fit"));
}

TEST_F(Sizes, AMillionRequestsAreWaitedForTogether) {
  EXPECT_THAT(succeed({"run", "-n", "2", "--quiet", "--compute", "none", "--", program("many_requests")}).out,
              HasSubstr("PASS"));
}

TEST_F(Sizes, CommunicatorsEndWhereMpichEndsThemAndWithItsErrorClass) {
  const FinishedProcess native = run_natively(3, {program("many_communicators")});
  ASSERT_EQ(native.exit_code, 0) << native.out << native.err;
  // MPICH makes the communicators of an emulated run, too, 6,000 times through all ranks.
  const FinishedProcess emulated =
      morgana({"run", "-n", "3", "--quiet", "--compute", "none", "--", program("many_communicators")},
              std::chrono::seconds(280));
  EXPECT_EQ(emulated.exit_code, 0) << emulated.err;
  EXPECT_EQ(emulated.out, native.out);
}

}  // namespace
}  // namespace morgana::test
