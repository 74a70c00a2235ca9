#include "experiments/modern/modern.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/modern/dcqcn_shares.h"
#include "experiments/modern/loaded_networks.h"

namespace morgana {
namespace {

using namespace modern_papers;

TEST(ModernPapers, JudgeEachRowByARuleThatMayFail) {
  const Experiment experiment = modern();
  ASSERT_FALSE(experiment.rows.empty());
  for (const Row& row : experiment.rows)
    if (row.standing == Standing::judged) {
      EXPECT_FALSE(row.rule.accepts(measured(0)) && row.rule.accepts(measured(1e9)) &&
                   row.rule.accepts(found(false, "")))
          << row.id;
    }
}

// 32 hosts have one cable to the next group's, or switch's, 32.
TEST(ModernPapers, MinimalRoutesCarryA32ndOfTheWorstCase) {
  for (LoadedNetwork network :
       {dragonfly("minimal", worst_case, 0.06), flattened_butterfly("minimal", worst_case, 0.06)}) {
    network.packets = 6'000;
    EXPECT_NEAR(under_load(network, 1).figures.at("accepted"), 1.0 / 32, 0.03 / 32) << network.name;
  }
}

// Zhu et al.: DCQCN is fair where flows share a port for long.
TEST(ModernPapers, FlowsByDcqcnConvergeToEqualShares) {
  const DcqcnShares shares = dcqcn_shares(2);
  EXPECT_GE(shares.fairness, 0.99);
  EXPECT_GE(shares.least, 0.9);
  EXPECT_LE(shares.most, 1.1);
  EXPECT_GT(shares.used, 0.9);
  EXPECT_LE(shares.used, 1);
}

}  // namespace
}  // namespace morgana
