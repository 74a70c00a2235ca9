// PVM programs whose tasks run on several machines. Agents on one machine are started by mpiexec as on
// several.

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using Words = std::vector<std::string>;

std::string built(const std::string& name) {
  return MORGANA_BIN "/" + name;
}

/// What tasks print at the same time may come in any order.
Words lines_in_any_order(const std::string& text) {
  std::istringstream stream(text);
  Words lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  std::ranges::sort(lines);
  return lines;
}

class PvmOnSeveralMachines : public MorganaTest {
 protected:
  /// On four hosts of a platform, and so many agents; 0: without any.
  FinishedProcess run(const Words& program, int agents, const Words& more = {}) {
    Words words{"sh",
                "-c",
                "exec \"$@\" </dev/null",
                "sh",
                MORGANA_BIN "/morgana",
                "run",
                "-n",
                "4",
                "--platform",
                "fast-ethernet",
                "--compute",
                "none",
                "--quiet",
                "--json",
                "run.json"};
    if (agents > 0)
      words.insert(words.end(), {"--on", "mpi", "--with=-n", "--with=" + std::to_string(agents)});
    words.insert(words.end(), more.begin(), more.end());
    words.emplace_back("--");
    words.insert(words.end(), program.begin(), program.end());
    HowToRun how;
    how.folder = path("");
    how.environment = {"PVM_PATH=/usr/bin"};
    return run_to_end(words, how);
  }
  void expect_same(const Words& program, int agents, const Words& more = {}) {
    SCOPED_TRACE(program.front() + " on " + std::to_string(agents) + " agents");
    const FinishedProcess alone = run(program, 0);
    const std::string json = read("run.json");
    const FinishedProcess shared = run(program, agents, more);
    EXPECT_EQ(shared.exit_code, alone.exit_code) << shared.err;
    EXPECT_EQ(read("run.json"), json);
    EXPECT_EQ(lines_in_any_order(shared.out), lines_in_any_order(alone.out)) << shared.err;
  }
};

// Spawned where the daemon chooses, on hosts that are named, and with messages to several tasks at once.
TEST_F(PvmOnSeveralMachines, SpawnedTasksTakeTheSameTimeAndPrintTheSame) {
  expect_same({built("pvm_spawner"), "4", "spmd", "4"}, 1);
  expect_same({built("pvm_spawner"), "4", "spmd", "4"}, 3, {"--distribution", "block"});
  expect_same({built("pde1.pvm"), "--tasks", "4", "--class", "S"}, 2);
}

// A rank that could not be started on one machine is the next task's on another.
TEST_F(PvmOnSeveralMachines, SpawnsThatFailAreInNobodysWay) {
  const Words spawns{"1", "no-such-program", "+", "2", "spmd", "2", "."};
  Words words{built("pvm_spawner")};
  for (int n = 0; n < 3; ++n) words.insert(words.end(), spawns.begin(), spawns.end());
  expect_same(words, 2);
  expect_same(words, 3);
}

TEST_F(PvmOnSeveralMachines, EveryWayToReceiveDoes) {
  expect_same({built("../tests/pvm/conversation")}, 2);
}

TEST_F(PvmOnSeveralMachines, LongMessagesAreFetchedFromTheirMachine) {
  expect_same({built("pvm_streams"), "10", "918000", "70000"}, 2);
}

TEST_F(PvmOnSeveralMachines, TasksThatPollDo) {
  expect_same({built("pvm_pollers"), "3"}, 3);
}

// pvm_kill, pvm_notify, pvm_catchout.
TEST_F(PvmOnSeveralMachines, EndsAreToldOf) {
  expect_same({built("../tests/pvm/endings")}, 2);
}

TEST_F(PvmOnSeveralMachines, AProcessGoesOnAsAnotherTaskOnItsMachine) {
  expect_same({built("../tests/pvm/leaving"), "enrol anew"}, 2);
}

TEST_F(PvmOnSeveralMachines, GroupsDo) {
  expect_same({built("pvm_spawner"), "3", "gexample"}, 2);
}

TEST_F(PvmOnSeveralMachines, ARunIsReplayedInTheSameTime) {
  run({built("pvm_spawner"), "4", "spmd", "4"}, 2, {"--trace", "run.otf2"});
  succeed({"replay", "run.otf2", "--platform", "fast-ethernet", "--quiet", "--json", "replay.json"});
  EXPECT_EQ(simulated_ps("run.json"), simulated_ps("replay.json"));
}

}  // namespace
}  // namespace morgana::test
