#include <signal.h>
#include <time.h>

#include <chrono>
#include <filesystem>
#include <iterator>
#include <thread>

#include "pvmshim/launch/process/process_state.h"
#include "tests/integration/support/leftovers.h"
#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/sample_traces.h"
#include "tests/integration/support/started_process.h"

namespace morgana::test {
namespace {

using namespace std::chrono_literals;
using testing::IsEmpty;
namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// However slow the machine, an end takes no longer.
constexpr auto forever = 120s;

/// 0.2 s of computing last for 55 hours, in which a hundred stations begin millions of bursts a second: the
/// next frame is found by hours of work that never asks for signals.
Words endless_platform() {
  return {"--set", "hosts.compute-scale=1000000",
          "--set", "network.background.mean-on=10 us",
          "--set", "network.background.stations=100 stations"};
}

Words together(Words first, const Words& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

/// 64 stages of different costs.
std::string long_pipeline() {
  std::string text;
  for (int i = 0; i < 64; ++i)
    text += "[[stage]]\nname = \"" + std::to_string(i) + "\"\noverhead = \"" + std::to_string(1 + i % 7) +
            " us\"\ncost = \"" + std::to_string(1 + i % 11) + " us/KB\"\n";
  return text;
}

/// A command that has work for long gets one signal in the midst of it.
class FirstSignal : public MorganaTest {
 protected:
  struct Case {
    const char* name;
    Words command;
  };

  std::vector<Case> commands() const {
    const Words loaded{"--platform", "ethernet-10-loaded", "--quiet"};
    return {
        {"replay",
         together(together({"replay", cg_sample, "--trace", "half.otf2"}, loaded), endless_platform())},
        {"run",
         together(together(together({"run", "-n", "2", "--trace", "half.otf2"}, loaded), endless_platform()),
                  {"--", program("barriers"), "0.05", "2"})},
        {"compare",
         together({"compare", cg_sample, "--quiet", "--platforms", "ethernet-10-loaded,ethernet-10-loaded"},
                  endless_platform())},
        {"sweep",
         together(together({"sweep", cg_sample, "-j", "2", "--over", "network.background.load=0.2,0.3,0.4"},
                           loaded),
                  endless_platform())},
        {"traffic",
         {"traffic", "--network", "torus", "--load", "0.01", "--messages", "1000000000", "--quiet"}},
        {"map",
         {"map", "--platform", "myrinet-ud", "--set", "network.topology=irregular", "--set",
          "network.switches=1024", "--quiet"}},
        {"fragment",
         {"fragment", "--stages", "long.toml", "--bytes", "1 GiB", "--policy", "optimal", "--fragments",
          "512", "--quiet"}},
    };
  }

  /// By the command and the workers that it has forked.
  static std::chrono::nanoseconds used_by_all(const std::string& mark) {
    std::chrono::nanoseconds sum{};
    for (const SeenProcess& one : processes_with(mark)) {
      clockid_t clock{};
      timespec used{};
      if (fs::path(one.program).filename() == "morgana" && ::clock_getcpuclockid(one.pid, &clock) == 0 &&
          ::clock_gettime(clock, &used) == 0)
        sum += std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
    }
    return sum;
  }

  static std::ptrdiff_t threads_of(pid_t process) {
    return std::distance(fs::directory_iterator("/proc/" + std::to_string(process) + "/task"),
                         fs::directory_iterator());
  }

  /// The rule is that any command ends within 0.2 s of the first signal. How long that takes by the clock on
  /// the wall is the machine's business, too; what the command can't do is compute for longer than that,
  /// with each of its threads, after the signal.
  void expect_obedience(const Case& one, int signal, const char* words) {
    SCOPED_TRACE(std::string(one.name) + " and signal " + std::to_string(signal));
    const std::string mark = "MORGANA_TEST_MARK=" + path("");
    StartedProcess process(together({program("morgana")}, one.command), path(""), mark);
    while (process.running() && used_by_all(mark) < 200ms) std::this_thread::sleep_for(10ms);
    ASSERT_TRUE(process.running()) << "has no work for long: " << read(StartedProcess::err);
    ::kill(process.pid(), SIGSTOP);
    while (process.running() && !state_of(process.pid()).is_stopped()) std::this_thread::sleep_for(1ms);
    const auto before = process.processor_time();
    const auto threads = threads_of(process.pid());
    ::kill(process.pid(), signal);
    ::kill(process.pid(), SIGCONT);
    const auto exit_code = process.exit_code_within(forever);
    ASSERT_TRUE(exit_code) << "goes on";
    EXPECT_EQ(*exit_code, 128 + signal);
    EXPECT_LT((process.processor_time() - before).count(), std::chrono::nanoseconds(200ms * threads).count());
    EXPECT_EQ(read(StartedProcess::err),
              "morgana: interrupted by signal " + std::to_string(signal) + " (" + words + ")\n");
    EXPECT_FALSE(fs::exists(path("half.otf2")));
    EXPECT_THAT(processes_with(mark), IsEmpty());
  }
};

TEST_F(FirstSignal, EndsEveryCommandThatComputes) {
  write("long.toml", long_pipeline());
  for (const Case& one : commands()) {
    expect_obedience(one, SIGINT, "Interrupt");
    expect_obedience(one, SIGTERM, "Terminated");
  }
}

TEST_F(FirstSignal, EndsARunWithASentenceOnEachRank) {
  StartedProcess process(
      {program("morgana"), "run", "-n", "3", "--quiet", "--", program("fatal_errors"), "endless"}, path(""),
      "MORGANA_TEST_MARK=" + path(""));
  while (process.running() && read(StartedProcess::out).empty()) std::this_thread::sleep_for(1ms);
  ASSERT_TRUE(process.running()) << read(StartedProcess::err);
  ::kill(process.pid(), SIGINT);
  EXPECT_EQ(process.exit_code_within(forever), 128 + SIGINT);
  EXPECT_THAT(read(StartedProcess::err),
              testing::AllOf(testing::StartsWith("morgana: interrupted by signal 2 (Interrupt). At 0."),
                             testing::HasSubstr(" s:\n  rank 0: "), testing::HasSubstr("\n  rank 1: "),
                             testing::HasSubstr("\n  rank 2: computes, since the end of MPI_Barrier\n")));
}

// Wherever the start of its processes has come to.
TEST_F(FirstSignal, EndsARunThatBegins) {
  for (int i = 0; i < 30; ++i) {
    SCOPED_TRACE(i);
    const std::string mark = "MORGANA_TEST_MARK=" + path("");
    StartedProcess process(
        {program("morgana"), "run", "-n", "2", "--quiet", "--", program("live"), "pingpong", "100000000"},
        path(""), mark);
    while (process.running() && process.processor_time() < i * 1ms) std::this_thread::sleep_for(100us);
    // As a terminal's Ctrl-C: all that has not left its group gets it.
    ::kill(process.pid(), SIGINT);
    const auto exit_code = process.exit_code_within(forever);
    const std::string said = read(StartedProcess::err);
    EXPECT_EQ(exit_code, 128 + SIGINT) << said;
    if (!said.empty()) {
      EXPECT_THAT(said, testing::StartsWith("morgana: interrupted by signal 2 (Interrupt)"));
    }
    for (int look = 0; look < 12'000 && !processes_with(mark).empty(); ++look)
      std::this_thread::sleep_for(10ms);  // what the kernel ends may need a moment
    EXPECT_THAT(processes_with(mark), IsEmpty());
  }
}

}  // namespace
}  // namespace morgana::test
