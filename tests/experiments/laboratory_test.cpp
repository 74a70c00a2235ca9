#include "experiments/laboratory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/core/error.h"

namespace morgana {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const auto nobody = [](const std::string&, double) {};

/// Its figure says with which seed and on which platform it ran.
RunOutcome seed_and_rate(const Condition& condition, const Platform&, std::uint64_t seed) {
  return {"finished", {{"value", static_cast<double>(seed) + (condition.overrides.empty() ? 0 : 10)}}};
}

class ALaboratory : public testing::Test {
 protected:
  ALaboratory() {
    laboratory.define("work", seed_and_rate);
    laboratory.define("stuck", [](const Condition&, const Platform&, std::uint64_t) {
      return RunOutcome{"deadlock", {}};
    });
  }
  const Condition plain{"work", "ideal"};
  const Condition random{"work", "ideal", {}, true};
  const Condition other{"work", "atm-ideal", {"network.switches=2"}, true};
  Laboratory laboratory{Runner(2), 4};
};

TEST_F(ALaboratory, RunsRandomConditionsWithAllSeedsAndOthersOnce) {
  laboratory.carry_out({plain, random}, nobody);
  EXPECT_THAT(laboratory.values(plain, "value"), ElementsAre(1));
  EXPECT_THAT(laboratory.values(random, "value"), ElementsAre(1, 2, 3, 4));
  EXPECT_EQ(laboratory.mean(random, "value"), 2.5);
}

TEST_F(ALaboratory, RunsAConditionOnce) {
  laboratory.carry_out({random}, nobody);
  laboratory.define("work", [](const Condition&, const Platform&, std::uint64_t) { return RunOutcome(); });
  laboratory.carry_out({random}, nobody);
  EXPECT_EQ(laboratory.mean(random, "value"), 2.5);
}

TEST_F(ALaboratory, RunsWorkloadsThatBringTheirOwnNetworkWithoutAPlatform) {
  laboratory.define_own("own", [](std::uint64_t seed) {
    return RunOutcome{"finished", {{"value", static_cast<double>(10 * seed)}}};
  });
  const Condition once{.workload = "own"}, often{.workload = "own", .random = true};
  laboratory.carry_out({once, often}, nobody);
  EXPECT_THAT(laboratory.values(once, "value"), ElementsAre(10));
  EXPECT_THAT(laboratory.values(often, "value"), ElementsAre(10, 20, 30, 40));
  EXPECT_EQ(to_text(once), "own");
}

TEST_F(ALaboratory, DividesSeedBySeed) {
  laboratory.carry_out({plain, random, other}, nobody);
  EXPECT_DOUBLE_EQ(laboratory.quotient(other, random, "value").mean,
                   (11.0 / 1 + 12.0 / 2 + 13.0 / 3 + 14.0 / 4) / 4);
  EXPECT_DOUBLE_EQ(laboratory.quotient(other, plain, "value").mean,
                   12.5);  // the one run counts for every seed
}

TEST_F(ALaboratory, SaysWhichRunDidNotFinish) {
  const Condition stuck{"stuck", "ideal"};
  laboratory.carry_out({stuck}, nobody);
  try {
    laboratory.values(stuck, "value");
    FAIL() << "a deadlock has no figures";
  } catch (const Error& error) {
    EXPECT_STREQ(error.what(), "stuck on ideal: deadlock");
  }
}

TEST_F(ALaboratory, RefusesAPlatformThatIsNone) {
  EXPECT_THROW(laboratory.carry_out({{"work", "atm-idea"}}, nobody), Error);
}

}  // namespace
}  // namespace morgana
