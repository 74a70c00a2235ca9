#include "tests/integration/pvm/pvm_output.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace morgana::test {
namespace {

using testing::ElementsAre;

std::vector<std::string> filtered(const std::string& text, LineOrder order = LineOrder::exact,
                                  bool measures = false) {
  return PvmOutputFilter(order, measures, "vm").lines(text);
}

TEST(PvmOutputFilter, NumbersTaskIdsInOrderOfAppearanceHoweverTheyAreWritten) {
  EXPECT_THAT(filtered("i'm t40007\n0x40003 262151 -> 262147\n 40003 myinst is 1\n<t40007lmbi0>"),
              ElementsAre("i'm T1", "T2 T1 -> T2", " T2 myinst is 1", "<T1lmbi0>"));
}

TEST(PvmOutputFilter, LeavesContextsAndOtherNumbers) {
  EXPECT_THAT(filtered("with context 262145.\ncontext: 262146\n40000 80000 4f123 2621450"),
              ElementsAre("with context 262145.", "context: 262146", "40000 80000 4f123 2621450"));
}

TEST(PvmOutputFilter, HidesTheMachinesNameOnlyWhereItIsAWord) {
  EXPECT_THAT(filtered("world from vm\n<vm> pvm vms vm-1"),
              ElementsAre("world from HOST", "<HOST> pvm vms vm-1"));
}

TEST(PvmOutputFilter, SortsLinesOfConcurrentTasks) {
  EXPECT_THAT(filtered("[t40003] b\n[t40002] a\n[t40002] b", LineOrder::any),
              ElementsAre("[T] a", "[T] b", "[T] b"));
  EXPECT_THAT(filtered("b\na\nb", LineOrder::any_number), ElementsAre("a", "b"));
}

TEST(PvmOutputFilter, HidesTimesOfProgramsThatMeasure) {
  EXPECT_THAT(filtered("13       39\n 1          0         37\nRTT Avg uSec 37\n       4        408\n     "
                       "1879.699248   365.230095",
                       LineOrder::exact, true),
              ElementsAre("13 TIME", " 1 TIME TIME", "RTT Avg uSec TIME", " TIME TIME", " TIME TIME"));
  EXPECT_THAT(filtered("Roundtrip T = 94 (us)  (17.0213 MB/s)  Data size: 800\n"
                       "  6:      12 bytes     20 times -->      6.84 Mbps in      13.38 usec",
                       LineOrder::exact, true),
              ElementsAre("Roundtrip T = TIME (us) (TIME MB/s) Data size: 800",
                          " 6: 12 bytes 20 times --> TIME Mbps in TIME usec"));
  EXPECT_THAT(filtered("RTT Avg uSec 37"), ElementsAre("RTT Avg uSec 37"));
}

}  // namespace
}  // namespace morgana::test
