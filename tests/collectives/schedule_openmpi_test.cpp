#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/collectives/openmpi_volume.h"
#include "tests/collectives/recorded_sends.h"

// What Open MPI 4.1.4 itself sends in its collectives, by its own choice and by every algorithm that can be
// forced, recorded below its collectives by openmpi_sends/record.sh.
namespace morgana::schedule_tests {
namespace {

TEST(OpenMpiSchedules, SendWhatOpenMpiSendsInTheSameOrder) {
  std::ifstream file(std::filesystem::path(MORGANA_SOURCE) / "tests/collectives" / "openmpi_sends" /
                     "openmpi-4.1.4.txt");
  int lines = 0;
  for (std::string line; std::getline(file, line); ++lines) {
    std::istringstream text(line);
    std::string algorithm;
    std::int64_t segment = 0;
    text >> algorithm >> segment;
    const Recorded recorded = parse_recorded(text);
    if (algorithm == "-") algorithm.clear();
    const OpenMpi how{algorithm, Bytes(segment), 4};  // chains: see record.sh
    Schedule schedule;
    make_schedule(recorded.part, recorded.members, recorded.me, tuning_of(recorded.part.kind, how), schedule);
    const std::vector<Sent> sends = sends_of(schedule, recorded);
    EXPECT_EQ(sends.size(), recorded.sends.size()) << line;
    for (std::size_t i = 0; i < sends.size() && i < recorded.sends.size(); ++i)
      if (!(sends[i] == recorded.sends[i])) {
        ADD_FAILURE() << "send " << i << " is " << sends[i].bytes << "@" << sends[i].peer << " in " << line;
        break;
      }
  }
  EXPECT_EQ(lines, 5490);
}

}  // namespace
}  // namespace morgana::schedule_tests
