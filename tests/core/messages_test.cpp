// The pages of messages that tests expect (tests/messages).
#include "tests/support/messages.h"

#include <gtest/gtest-spi.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace morgana {
namespace {

namespace fs = std::filesystem;

const fs::path tests_folder = fs::path(__FILE__).parent_path().parent_path();

std::string sources_of(const fs::path& folder) {
  std::string all;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    if (entry.path().extension() != ".cpp") continue;
    std::ifstream file(entry.path());
    all.append(std::istreambuf_iterator<char>(file), {});
  }
  return all;
}

TEST(MessagePages, HaveNoSectionOfATestThatIsGone) {
  int sections = 0;
  for (const fs::directory_entry& page : fs::recursive_directory_iterator(tests_folder / "messages")) {
    if (page.is_directory()) continue;
    const std::string folder =
        page.path().lexically_relative(tests_folder / "messages").replace_extension("");
    const std::string sources = sources_of(tests_folder / folder);
    std::ifstream in(page.path());
    for (std::string line; std::getline(in, line);) {
      if (!line.starts_with("## ")) continue;
      ++sections;
      const std::size_t dot = line.find('.');
      // INSTANCE/SUITE.TEST/NUMBER, where the test has a parameter.
      const std::string suite = line.substr(3, dot - 3), test = line.substr(dot + 1);
      const std::string in_test =
          "(" + suite.substr(suite.find('/') + 1) + ", " + test.substr(0, test.find('/')) + ")";
      EXPECT_NE(sources.find(in_test), std::string::npos)
          << page.path() << " has " << line << ", and no test of " << folder << " has this name: take it out";
    }
  }
  EXPECT_GT(sections, 100);
}

TEST(MessagePages, KeepLinesAndHideWhatVaries) {
  expect_message("two lines:\n  of " + fs::temp_directory_path().string() +
                     "/morgana-test.a1B2c3/file \t\n\n    and a tab\n",
                 {"FOLDER/file", "two"});
  expect_message("of " + (tests_folder / "core").string(), "SOURCE/tests/core");
}

TEST(MessagePages, ReportTheFirstMessageThatDiffers) {
  if (const char* updates = std::getenv("MORGANA_UPDATE_MESSAGES"); updates != nullptr)
    GTEST_SKIP() << "differences are written";
  expect_message("the first", "first");
  EXPECT_NONFATAL_FAILURE(expect_message("another one", "one"), "has\n  the second");
  expect_message("the second");  // has moved
  EXPECT_NONFATAL_FAILURE(expect_message("", {}), "there is no message");
  EXPECT_NONFATAL_FAILURE(expect_message("the third", "fourth"), "does not name \"fourth\"");
}

TEST(MessagePages, ReportAMessageTooMany) {
  if (const char* updates = std::getenv("MORGANA_UPDATE_MESSAGES"); updates != nullptr)
    GTEST_SKIP() << "differences are written";
  expect_messages({"one", "two"}, {"two"});
  EXPECT_NONFATAL_FAILURE(expect_message("three"), "has no further one");
}

}  // namespace
}  // namespace morgana
