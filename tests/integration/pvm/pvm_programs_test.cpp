#include <unistd.h>

#include <algorithm>
#include <regex>
#include <sstream>
#include <tuple>

#include "tests/integration/pvm/pvm_output.h"
#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

namespace fs = std::filesystem;

const fs::path here = fs::path(MORGANA_SOURCE) / "tests/integration/pvm";

std::vector<std::string> fixture_names() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(here / "fixtures")) names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

std::string this_host() {
  char name[256] = "";
  ::gethostname(name, sizeof name - 1);
  return name;
}

std::string without(const std::string& text, const auto& is_unwanted) {
  std::istringstream stream(text);
  std::string kept;
  for (std::string line; std::getline(stream, line);)
    if (!is_unwanted(line)) kept += line + '\n';
  return kept;
}

/// What the real daemon keeps in its log, morgana shows as errors: the output of tasks that nobody collects.
/// A line of it may come while another process is in the middle of one, which then goes on behind it.
std::string without_daemon_log(const std::string& errors) {
  static const std::regex line_of_a_task("\\[t[0-9a-f]+\\] [^\n]*\n");
  return std::regex_replace(errors, line_of_a_task, "");
}

/// Programs of Debian's packages, unmodified: they say what they say over the real PVM.
class PvmPrograms : public MorganaTest,
                    public testing::WithParamInterface<std::tuple<std::string, std::string>> {
 protected:
  /// On one host, as the fixtures were recorded.
  FinishedProcess run(const PvmFixture& fixture, const std::string& platform) {
    std::vector<std::string> command{"run",    "--quiet", "--compute",     "none",  "--platform",
                                     platform, "--set",   "hosts.count=1", "--set", "hosts.processors=16",
                                     "--"};
    // Some platforms' memories take no time at all, and the programs divide by what they measure.
    command.insert(command.end() - 1, {"--set", "messages.local-latency=10 us"});
    std::istringstream words(fixture.command);
    for (std::string word; words >> word;) {
      for (const auto& [name, folder] :
           {std::pair<std::string, std::string>{"{programs}", MORGANA_BIN}, {"{here}", here.string()}})
        if (word.rfind(name, 0) == 0) word = folder + word.substr(name.size());
      command.push_back(word);
    }
    write("input", fixture.input);
    std::vector<std::string> shell{"sh", "-c", "exec \"$@\" <input", "sh", MORGANA_BIN "/morgana"};
    shell.insert(shell.end(), command.begin(), command.end());
    HowToRun how;
    how.folder = path("");
    how.environment = {"PVM_PATH=/usr/bin"};
    return run_to_end(shell, how);
  }
};

TEST_P(PvmPrograms, SayTheSameAsOverTheRealPvm) {
  const auto& [name, platform] = GetParam();
  const PvmFixture fixture = read_pvm_fixture(here / "fixtures" / (name + ".txt"));
  const FinishedProcess result = run(fixture, platform);
  ASSERT_FALSE(result.timed_out) << result.out << result.err;

  PvmOutputFilter real(fixture.order, fixture.measures, fixture.host);
  PvmOutputFilter emulated(fixture.order, fixture.measures, this_host());
  // frsg sums into a variable of its stack that it never sets: the result is what lay there before.
  const auto shows_unset = [&fixture](const std::string& line) {
    return !fixture.unset.empty() && line.find(fixture.unset) != std::string::npos;
  };
  EXPECT_EQ(emulated.lines(without(result.out, shows_unset)), real.lines(without(fixture.out, shows_unset)));
  const auto shows_patience = [&fixture](const std::string& line) { return line == fixture.patience; };
  EXPECT_EQ(emulated.lines(without(without_daemon_log(result.err), shows_patience)),
            real.lines(without(fixture.errors, shows_patience)));
  EXPECT_EQ(result.exit_code, fixture.exit_code);
}

std::string name_of_pvm_test(const testing::TestParamInfo<std::tuple<std::string, std::string>>& test) {
  std::string name = std::get<0>(test.param) + "_on_" + std::get<1>(test.param);
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Debian, PvmPrograms,
                         testing::Combine(testing::ValuesIn(fixture_names()),
                                          testing::Values("loggp-example", "atm-oc3", "ethernet-10")),
                         name_of_pvm_test);

}  // namespace
}  // namespace morgana::test
