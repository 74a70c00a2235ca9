#include "emulator/report/table.h"

#include <gtest/gtest.h>

namespace morgana {
namespace {

TEST(TextTable, SetsTheFirstColumnLeftAndTheOthersRight) {
  TextTable table({"name", "n"});
  table.add({"a", "100"});
  table.add({"longer", "7"});
  EXPECT_EQ(table.text(),
            "name      n\n"
            "a       100\n"
            "longer    7\n");
}

TEST(TextTable, PrintsARowAloneInGivenColumns) {
  TextTable table({"name", "n"});
  table.add({"a", "100"});
  EXPECT_EQ(table.row_text(1, {6, 4}), "a        100\n");
  EXPECT_EQ(table.row_text(1, {0, 0}), "a  100\n");
}

TEST(TextTable, QuotesInCsvOnlyWhatNeedsIt) {
  TextTable table({"name", "n"});
  table.add({"a,b", "say \"x\""});
  EXPECT_EQ(table.csv(), "name,n\n\"a,b\",\"say \"\"x\"\"\"\n");
}

}  // namespace
}  // namespace morgana
