#include "pvmshim/mpi/mpich_version.h"

#include <gtest/gtest.h>

namespace morgana::mpi {
namespace {

TEST(MpichVersion, IsReadFromMpichsOwnWords) {
  EXPECT_EQ(version_in("MPICH Version:\t4.0.2\nMPICH Release date:\tThu Apr  7 12:34:45 CDT 2022\n"),
            (MpichVersion{4, 0}));
  EXPECT_EQ(version_in("MPICH Version:      4.2.1\nMPICH Release date: Wed Apr 17\n"), (MpichVersion{4, 2}));
  EXPECT_EQ(version_in("MPICH Version: 4.3.0rc2"), (MpichVersion{4, 3}));
  EXPECT_EQ(version_in("MPICH Version: 10.11"), (MpichVersion{10, 11}));
}

TEST(MpichVersion, IsTheOldestWhereTheWordsAreOthers) {
  for (const char* text : {"", "MPICH Version:", "MPICH Version: ", "MPICH Version: 4", "MPICH Version: 4.",
                           "MPICH Version: x.y", "Open MPI v4.1.4"})
    EXPECT_EQ(version_in(text), (MpichVersion{4, 0})) << text;
}

TEST(MpichVersion, IsOrdered) {
  EXPECT_LT((MpichVersion{4, 0}), (MpichVersion{4, 1}));
  EXPECT_LT((MpichVersion{4, 11}), (MpichVersion{5, 0}));
  EXPECT_LT((MpichVersion{4, 2}), (MpichVersion{4, 10}));
}

}  // namespace
}  // namespace morgana::mpi
