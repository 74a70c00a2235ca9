#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/collectives/recorded_sends.h"

// What MPICH 4.0.2 itself sends in its collectives, recorded below MPI by mpich_sends/record.sh.
namespace morgana::schedule_tests {
namespace {

TEST(MpichSchedules, SendWhatMpichSendsInTheSameOrder) {
  std::ifstream file(std::filesystem::path(MORGANA_SOURCE) / "tests/collectives" / "mpich_sends" /
                     "mpich-4.0.2.txt");
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    std::istringstream text(line);
    const Recorded recorded = parse_recorded(text);
    Schedule schedule;
    make_schedule(recorded.part, recorded.members, recorded.me, {}, schedule);
    const std::vector<Sent> sends = sends_of(schedule, recorded);
    ASSERT_EQ(sends.size(), recorded.sends.size()) << line;
    for (std::size_t i = 0; i < sends.size(); ++i)
      ASSERT_EQ(sends[i], recorded.sends[i]) << "send " << i << " of " << line;
  }
  EXPECT_EQ(lines, 1540);
}

}  // namespace
}  // namespace morgana::schedule_tests
