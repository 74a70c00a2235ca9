// Small programs that wait in one way each.
#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

/// Each is run natively, emulated with measured computing, and twice with computing that takes no time. All
/// four come to the same, and none ends earlier than its wait; those without computing no later either. The
/// programs check that on their own clocks.
class WaitKinds : public MorganaTest {
 protected:
  /// @param command  of a program that says, without an argument, which waits it knows
  void expect_same_everywhere(const std::vector<std::string>& command, std::size_t kinds) {
    std::string text;
    for (const std::string& word : command) text += word + " ";
    const std::vector<std::string> names = lines_of(in_shell(text).out);
    EXPECT_GE(names.size(), kinds);
    // Natively they sleep side by side.
    std::string all;
    for (const std::string& name : names)
      all += "mpiexec.mpich -n 1 " + text + name + " > native." + name + " & ";
    in_shell(all + "wait");
    for (const std::string& name : names) expect_same_everywhere(command, name);
  }
  /// Where each thread has a clock of its own they come to the same to the picosecond, but for a pool's.
  void expect_exact_in_turns(const std::string& program) {
    for (const std::string& name : lines_of(in_shell(program).out)) {
      SCOPED_TRACE(name);
      EXPECT_THAT(emulated({program, name, "multiple"}, {"--set", "hosts.compute-scale=0.1"}),
                  testing::EndsWith("PASS wait\n"));
      const std::vector<std::string> words{program, name, "multiple", "simulated"};
      EXPECT_THAT(emulated(words, {"--compute", "none"}), testing::EndsWith("PASS wait\n"));
      const std::int64_t took = simulated_ps("run.json");
      emulated(words, {"--compute", "none"});
      // Which thread of a pool takes a task first is the machine's choice: a reading of the clock.
      const double tick = name == "thread_pool" ? 100'000 : 0;
      EXPECT_NEAR(static_cast<double>(simulated_ps("run.json")), static_cast<double>(took), tick);
    }
  }

 private:
  std::string emulated(const std::vector<std::string>& command, std::vector<std::string> words) {
    words.insert(words.begin(), {"run", "-n", "1", "--quiet", "--json", "run.json"});
    words.emplace_back("--");
    words.insert(words.end(), command.begin(), command.end());
    return succeed(words).out;
  }
  void expect_same_everywhere(std::vector<std::string> command, const std::string& name) {
    SCOPED_TRACE(name);
    command.push_back(name);
    const std::string native = read("native." + name);
    EXPECT_THAT(native, testing::EndsWith("PASS wait\n"));
    // A busy machine may take a processor away for as long as some of these waits last.
    EXPECT_EQ(emulated(command, {"--set", "hosts.compute-scale=0.1"}), native);
    command.emplace_back("simulated");
    EXPECT_EQ(emulated(command, {"--compute", "none"}), native);
    const std::int64_t took = simulated_ps("run.json");
    EXPECT_EQ(emulated(command, {"--compute", "none"}), native);
    // Threads read one clock in any order, 100 ns each time, and Python's sums are of real dates.
    EXPECT_NEAR(static_cast<double>(simulated_ps("run.json")), static_cast<double>(took), 2e6);
  }
};

TEST_F(WaitKinds, OfCComeToTheSameNativelyAndEmulated) {
  expect_same_everywhere({program("wait_kinds")}, 34);
}

TEST_F(WaitKinds, OfCppComeToTheSameNativelyAndEmulated) {
  expect_same_everywhere({program("wait_kinds_cxx")}, 14);
}

TEST_F(WaitKinds, OfFortranComeToTheSameNativelyAndEmulated) {
  expect_same_everywhere({program("wait_kinds_fortran")}, 5);
}

TEST_F(WaitKinds, OfPythonComeToTheSameNativelyAndEmulated) {
  if (in_shell("command -v python3").exit_code != 0) GTEST_SKIP() << "python3 is not here";
  expect_same_everywhere({"python3", MORGANA_SOURCE "/tests/integration/programs/wait_kinds.py"}, 28);
}

TEST_F(WaitKinds, OfThreadsWithClocksOfTheirOwnTakeTheSameTimeEachTime) {
  expect_exact_in_turns(program("wait_kinds"));
  expect_exact_in_turns(program("wait_kinds_cxx"));
}

}  // namespace
}  // namespace morgana::test
