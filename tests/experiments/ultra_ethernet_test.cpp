#include "experiments/ultraethernet/ultra_ethernet.h"

#include <gtest/gtest.h>

#include <set>
#include <string>

#include "experiments/ultraethernet/published.h"

namespace morgana {
namespace {

using namespace ultra_ethernet_results;

double last_here(const Published& result) {
  return run_here(result, 1).figures.at("last");
}

// 95 results, without two that a slower pace of credit decides.
TEST(UltraEthernetResults, AreAllThereUnderNamesOfTheirOwn) {
  std::set<std::string> ids;
  for (const Published& result : published()) ids.insert(result.id);
  EXPECT_EQ(ids.size(), 93U);
  EXPECT_EQ(published().size(), 93U);
}

TEST(UltraEthernetResults, AreJudgedByRulesThatMayFail) {
  for (const Row& row : ultra_ethernet().rows)
    if (row.standing != Standing::informational) {
      const double there = std::stod(row.paper);
      EXPECT_TRUE(row.rule.accepts(measured(there))) << row.id;
      EXPECT_FALSE(row.rule.accepts(measured(0.89 * there))) << row.id;
      EXPECT_FALSE(row.rule.accepts(measured(1.11 * there))) << row.id;
    }
}

// 10 or 100 packets, whether one message or ten: 17.0107 and 46.8907 us in the simulator, by all controls.
TEST(UltraEthernetResults, MessagesThatShareAConnectionEndWithTheSimulators) {
  for (const Published& result : published())
    if (result.id[0] == 'C') {
      EXPECT_NEAR(last_here(result), result.last, 1e-3) << result.id;
    }
}

// 4 of 16 hosts have a quarter of their ways by a link of 25 Gb/s: without it the last ends at 194 us there.
TEST(UltraEthernetResults, ASlowLinkHoldsUpTheLastFlow) {
  for (const Published& result : published())
    if (result.matrix == Matrix::permutation_16 && result.differs.slow_links > 0) {
      EXPECT_NEAR(last_here(result), result.last, 0.1 * result.last) << result.id;
    }
}

}  // namespace
}  // namespace morgana
