// PVM programs whose tasks run on several machines. Agents on one machine are started by mpiexec as on
// several.

#include <signal.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/support/leftovers.h"
#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/started_process.h"

namespace morgana::test {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using Clock = std::chrono::steady_clock;
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
  FinishedProcess run(const Words& program, int agents, const Words& more = {},
                      const std::string& platform = "fast-ethernet") {
    Words words{"sh",
                "-c",
                "exec \"$@\" </dev/null",
                "sh",
                MORGANA_BIN "/morgana",
                "run",
                "-n",
                "4",
                "--platform",
                platform,
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
  void expect_same(const Words& program, int agents, const Words& more = {},
                   const std::string& platform = "fast-ethernet") {
    SCOPED_TRACE(program.front() + " on " + platform + " and " + std::to_string(agents) + " agents");
    const FinishedProcess alone = run(program, 0, {}, platform);
    const std::string json = read("run.json");
    const FinishedProcess shared = run(program, agents, more, platform);
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

/// With MORGANA_EVERYWHERE in the environment: all kernels on five platforms and one to three agents.
TEST_F(PvmOnSeveralMachines, TheEightKernelsDo) {
  if (std::getenv("MORGANA_EVERYWHERE") == nullptr)
    return expect_same({built("is.pvm"), "--tasks", "4", "--class", "S"}, 2);
  for (const char* kernel : {"cg", "ep", "ft", "is", "mg", "pde1", "pde2", "solver"})
    for (const char* platform :
         {"infiniband-hdr", "fast-ethernet", "hdr-fat-tree", "roce-100g", "loggp-example"})
      for (const int agents : {1, 2, 3})
        expect_same({built(kernel + std::string(".pvm")), "--tasks", "4", "--class", "S"}, agents, {},
                    platform);
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

/// Three tasks, each of which has left a process that ignores all politeness.
class PvmMachinesThatEnd : public MorganaTest {
 protected:
  struct Outcome {
    std::optional<int> exit_code;
    std::string err;
    Words left;
  };
  static constexpr auto longest_run = 30s;
  /// Kills the process that `chosen` finds, once all tasks have forked. @param agents  0: none
  Outcome kill(int agents, const std::function<bool(const SeenProcess&)>& chosen) {
    const std::string mark = "MORGANA_TEST_MARK=" + path("") + std::to_string(++runs_);
    Words words{MORGANA_BIN "/morgana", "run", "-n", "4", "--quiet"};
    if (agents > 0)
      words.insert(words.end(), {"--on", "mpi", "--with=-n", "--with=" + std::to_string(agents)});
    words.insert(words.end(), {"--", built("pvm_forking"), "2"});
    StartedProcess run(words, path(""), mark);
    const auto deadline = Clock::now() + longest_run;
    while (Clock::now() < deadline && run.running() &&
           read(StartedProcess::out).find("forked") == std::string::npos)
      std::this_thread::sleep_for(1ms);
    EXPECT_THAT(read(StartedProcess::out), HasSubstr("forked")) << "the tasks do not get on";
    const std::vector<SeenProcess> all = processes_with(mark);
    const auto victim = std::ranges::find_if(
        all, [&](const SeenProcess& one) { return chosen(one) && !one.is_copy_among(all); });
    EXPECT_NE(victim, all.end()) << read(StartedProcess::err);
    if (victim != all.end()) ::kill(victim->pid, SIGKILL);
    Outcome outcome{run.exit_code_within(longest_run), read(StartedProcess::err), {}};
    do {
      outcome.left.clear();
      for (const SeenProcess& one : processes_with(mark)) outcome.left.push_back(one.program);
      if (!outcome.left.empty()) std::this_thread::sleep_for(1ms);
    } while (!outcome.left.empty() && Clock::now() < deadline);
    return outcome;
  }

 private:
  int runs_ = 0;
};

TEST_F(PvmMachinesThatEnd, AnAgentThatIsGoneIsNamedAndLeavesNothing) {
  const Outcome killed = kill(2, [](const SeenProcess& one) { return one.is_agent(); });
  EXPECT_EQ(killed.exit_code, 1);
  EXPECT_THAT(killed.err,
              AllOf(HasSubstr("which runs rank"), HasSubstr("is gone: its connection has closed")));
  EXPECT_THAT(killed.left, IsEmpty());
}

TEST_F(PvmMachinesThatEnd, ATaskThatIsKilledEndsTheRunAsOnOneMachine) {
  const auto is_first_task = [](const SeenProcess& one) {
    return one.program.ends_with("pvm_forking") &&
           one.environment.find("MORGANA_PVM_PARENT=-23") != std::string::npos;
  };
  const Outcome alone = kill(0, is_first_task), shared = kill(2, is_first_task);
  EXPECT_EQ(shared.exit_code, alone.exit_code);
  for (const Outcome& outcome : {alone, shared}) {
    EXPECT_THAT(outcome.err, HasSubstr("task t40001 was killed by signal 9 (Killed) while it waited"));
    EXPECT_THAT(outcome.left, IsEmpty());
  }
  EXPECT_THAT(shared.err, HasSubstr(" while it waited (on "));
}

}  // namespace
}  // namespace morgana::test
