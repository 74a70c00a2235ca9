#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// What docs/architecture.md names: whatever stands between two backquotes.
std::set<std::string> named_things() {
  const std::string page = text_of(fs::path(MORGANA_SOURCE) / "docs" / "architecture.md");
  static const std::regex form("`([^`\n]+)`");
  std::set<std::string> names;
  for (std::sregex_iterator found(page.begin(), page.end(), form), end; found != end; ++found)
    names.insert((*found)[1]);
  return names;
}

/// All source files, "/emulator/core/time.h" each, and what stands in them.
struct Tree {
  std::vector<std::string> files;
  std::string text;
};

Tree tree() {
  Tree result;
  for (const char* top : {"emulator", "pvmshim", "traces", "replay", "experiments", "cli", "tests"})
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(MORGANA_SOURCE) / top)) {
      const std::string ending = entry.path().extension();
      if (ending != ".h" && ending != ".cpp" && ending != ".txt") continue;
      result.files.push_back("/" + fs::relative(entry.path(), MORGANA_SOURCE).string());
      result.text += text_of(entry.path());
    }
  for (const char* file : {"CMakeLists.txt", "CHANGELOG.md", "docs/platforms.md", "cmake/rooms.txt"})
    result.files.push_back(std::string("/") + file);
  return result;
}

bool is_file(const std::string& name) {
  return std::regex_match(name, std::regex(R"([\w/.]+\.(h|cpp|txt|md))"));
}

// A page that is not read by a compiler gets out of date: what it names must be there.
TEST(ArchitecturePage, NamesFilesAndThingsThatThereAre) {
  const Tree all = tree();
  const std::set<std::string> names = named_things();
  ASSERT_GT(names.size(), 80u);
  for (const std::string& name : names) {
    if (is_file(name)) {
      bool found = false;
      for (const std::string& file : all.files) found |= file.ends_with("/" + name);
      EXPECT_TRUE(found) << "docs/architecture.md names the file " << name;
    } else if (std::regex_match(name, std::regex(R"((\w+::)*\w+(\(\))?)"))) {
      const std::string last = name.substr(name.rfind(':') + 1);
      const std::string word = last.substr(0, last.find('('));
      EXPECT_NE(all.text.find(word), std::string::npos) << "docs/architecture.md names " << name;
    }
  }
}

}  // namespace
