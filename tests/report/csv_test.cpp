#include "emulator/report/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace morgana {
namespace {

using testing::ElementsAre;

TEST(Csv, ReadsBackWhatItWrote) {
  const CsvRow row{"plain", "", "a,b", "say \"no\"", "two\nlines", " spaces "};
  EXPECT_THAT(read_csv(csv_line(row) + csv_line({"next"})).rows, ElementsAre(row, CsvRow{"next"}));
}

TEST(Csv, LeavesOutARowThatIsCutOffAnywhere) {
  const std::string first = csv_line({"a", "b"}), second = csv_line({"c,\"d\"", "e\nf"});
  const std::string whole = first + second;
  for (std::size_t length = first.size(); length < whole.size(); ++length) {
    const CsvText read = read_csv(std::string_view(whole).substr(0, length));
    EXPECT_EQ(read.rows.size(), 1u) << length;
    EXPECT_EQ(read.complete, first.size()) << length;
  }
  EXPECT_EQ(read_csv(whole).rows.size(), 2u);
  EXPECT_EQ(read_csv(whole).complete, whole.size());
}

TEST(Csv, ReadsLinesThatEndAsOnWindows) {
  EXPECT_THAT(read_csv("a,b\r\nc,d\r\n").rows, ElementsAre(CsvRow{"a", "b"}, CsvRow{"c", "d"}));
}

}  // namespace
}  // namespace morgana
