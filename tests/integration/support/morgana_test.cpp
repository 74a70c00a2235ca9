#include "tests/integration/support/morgana_test.h"

#include <stdlib.h>

#include <fstream>
#include <iterator>

#include "tests/integration/support/native_run.h"

namespace morgana::test {
namespace fs = std::filesystem;

MorganaTest::MorganaTest() {
  std::string pattern = (fs::temp_directory_path() / "morgana-test-XXXXXX").string();
  folder_ = ::mkdtemp(pattern.data());
  // Not what the user has measured: results would depend on it.
  ::setenv("MORGANA_CALIBRATION", path("calibration.toml").c_str(), 1);
  // Nor what a test has translated before.
  ::setenv("MORGANA_CACHE", "off", 1);
}

MorganaTest::~MorganaTest() {
  fs::remove_all(folder_);
}

FinishedProcess MorganaTest::morgana(std::vector<std::string> arguments, std::chrono::seconds limit) {
  arguments.insert(arguments.begin(), MORGANA_BIN "/morgana");
  HowToRun how;
  how.folder = folder_;
  how.limit = limit;
  if (arguments.size() > 1 && arguments[1] == "capture") how.environment = {sleeping_progress()};
  FinishedProcess result = run_to_end(arguments, how);
  EXPECT_FALSE(result.timed_out) << testing::PrintToString(arguments) << '\n' << result.out << result.err;
  return result;
}

FinishedProcess MorganaTest::succeed(const std::vector<std::string>& arguments) {
  FinishedProcess result = morgana(arguments);
  EXPECT_EQ(result.exit_code, 0) << testing::PrintToString(arguments) << '\n' << result.out << result.err;
  return result;
}

FinishedProcess MorganaTest::in_shell(const std::string& commands) const {
  HowToRun how;
  how.folder = folder_;
  return run_to_end({"bash", "-c", "PATH=" MORGANA_BIN ":$PATH; " + commands}, how);
}

std::string MorganaTest::program(const std::string& name) {
  return std::string(MORGANA_BIN "/") + name;
}

void MorganaTest::write(const std::string& name, const std::string& text) const {
  std::ofstream(path(name)) << text;
}

std::string MorganaTest::read(const std::string& name) const {
  std::ifstream file(path(name), std::ios::binary);
  EXPECT_TRUE(file) << "no file " << name;
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace morgana::test
