// What README.md and docs/ show must be there and be true: links, options, platforms, and the output of
// commands that
// "<!-- run -->" marks.
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "tests/integration/morgana_test.h"

namespace morgana::test {
namespace {

namespace fs = std::filesystem;
using testing::Le;

std::vector<fs::path> documents() {
  std::vector<fs::path> all{fs::path(MORGANA_SOURCE) / "README.md"};
  for (const auto& entry : fs::recursive_directory_iterator(fs::path(MORGANA_SOURCE) / "docs"))
    if (entry.path().extension() == ".md") all.push_back(entry.path());
  std::ranges::sort(all);
  return all;
}

std::vector<std::string> lines_in(const fs::path& document) {
  std::ifstream file(document);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// A fenced block, and whether the line above it marks it to be run.
struct FencedBlock {
  std::size_t line = 0;
  bool to_run = false;
  std::vector<std::string> lines;
};

struct Document {
  std::vector<std::string> text;  ///< outside of blocks
  std::vector<FencedBlock> blocks;
};

Document read_document(const fs::path& path) {
  Document document;
  bool inside = false;
  std::string before;
  std::size_t number = 0;
  for (const std::string& line : lines_in(path)) {
    ++number;
    if (line.starts_with("```")) {
      inside = !inside;
      if (inside) document.blocks.push_back({number, before == "<!-- run -->", {}});
    } else if (inside) {
      document.blocks.back().lines.push_back(line);
    } else {
      document.text.push_back(line);
      before = line;
    }
  }
  return document;
}

/// As GitHub names a heading: small letters, digits, "-" and "_"; blanks become "-".
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char c : heading.substr(heading.find(' ') + 1)) {
    const auto letter = static_cast<unsigned char>(c);
    if (c == ' ')
      anchor += '-';
    else if (std::isalnum(letter) || c == '-' || c == '_' || letter >= 0x80)
      anchor += static_cast<char>(std::tolower(letter));
  }
  return anchor;
}

std::set<std::string> anchors_in(const fs::path& path) {
  std::set<std::string> anchors;
  std::map<std::string, int> seen;
  for (const std::string& line : read_document(path).text) {
    if (!line.starts_with('#')) continue;
    const std::string anchor = anchor_of(line);
    const int before = seen[anchor]++;
    anchors.insert(before == 0 ? anchor : anchor + "-" + std::to_string(before));
  }
  return anchors;
}

TEST(Documents, HaveLinksThatLeadSomewhere) {
  static const std::regex link(R"(\]\(([^)\s]+)\))");
  std::size_t followed = 0;
  for (const fs::path& document : documents())
    for (const std::string& line : read_document(document).text)
      for (std::sregex_iterator found(line.begin(), line.end(), link), end; found != end; ++found) {
        const std::string target = (*found)[1];
        if (target.find("://") != std::string::npos || target.starts_with("mailto:")) continue;
        const std::size_t mark = target.find('#');
        const std::string name = target.substr(0, mark);
        const fs::path file = name.empty() ? document : document.parent_path() / name;
        ++followed;
        EXPECT_TRUE(fs::exists(file)) << document << " links to " << target;
        if (mark == std::string::npos || !fs::exists(file)) continue;
        EXPECT_TRUE(anchors_in(file).contains(target.substr(mark + 1))) << document << " links to " << target;
      }
  EXPECT_GT(followed, 100U);
}

TEST(Documents, BeginWithAReadmeOfAtMost150Lines) {
  EXPECT_THAT(lines_in(fs::path(MORGANA_SOURCE) / "README.md").size(), Le(150U));
}

/// The commands of a block, each on one line: what stands before "..." or a comment, continued lines joined.
std::vector<std::string> commands_in(const FencedBlock& block) {
  std::vector<std::string> commands;
  bool continued = false;
  for (std::string line : block.lines) {
    const bool goes_on = line.ends_with('\\');
    if (goes_on) line.pop_back();
    if (continued) {
      commands.back() += line;
    } else {
      if (line.starts_with("$ ")) line.erase(0, 2);
      if (!line.starts_with("morgana ")) continue;
      commands.push_back(line);
    }
    continued = goes_on;
  }
  for (std::string& command : commands) command = command.substr(0, command.find(" # "));
  return commands;
}

class DocumentedCommands : public MorganaTest {
 protected:
  const std::string& help_of(const std::string& subcommand) {
    auto place = helps_.find(subcommand);
    if (place == helps_.end()) place = helps_.emplace(subcommand, succeed({subcommand, "--help"}).out).first;
    return place->second;
  }

 private:
  std::map<std::string, std::string> helps_;
};

TEST_F(DocumentedCommands, NameOptionsAndPlatformsThatThereAre) {
  static const std::regex option(R"(\s(--[a-z][a-z-]*))"),
      platform(R"(\s(?:--platforms?|-p)[ =]([a-z0-9][a-z0-9,-]*)(?=\s|$))");
  const FinishedProcess listed = succeed({"platforms", "--names"});
  std::set<std::string> names;
  std::istringstream list(listed.out);
  for (std::string name; std::getline(list, name);) names.insert(name);
  std::size_t checked = 0;
  for (const fs::path& document : documents()) {
    if (document.parent_path().filename() == "decisions") continue;  // of their day
    for (const FencedBlock& block : read_document(document).blocks)
      for (const std::string& command : commands_in(block)) {
        std::istringstream words(command);
        std::string program, subcommand;
        words >> program >> subcommand;
        if (subcommand.empty() || std::islower(static_cast<unsigned char>(subcommand.front())) == 0) continue;
        const std::string ours = command.substr(0, command.find(" -- "));
        ++checked;
        const std::string where = document.string() + ":" + std::to_string(block.line) + ": " + command;
        for (std::sregex_iterator found(ours.begin(), ours.end(), option), end; found != end; ++found)
          EXPECT_NE(help_of(subcommand).find((*found)[1].str()), std::string::npos)
              << where << ": " << (*found)[1];
        for (std::sregex_iterator found(ours.begin(), ours.end(), platform), end; found != end; ++found) {
          std::istringstream several((*found)[1].str());
          for (std::string name; std::getline(several, name, ',');)
            EXPECT_TRUE(names.contains(name)) << where << ": " << name;
        }
      }
  }
  EXPECT_GT(checked, 100U);
}

/// Whether a line of a program's output is what a document shows: "..." at its end stands for anything.
bool is_shown_as(const std::string& line, std::string shown) {
  if (!shown.ends_with("...")) return line == shown;
  shown.resize(shown.size() - 3);
  return line.starts_with(shown);
}

/// Compares an output with what a block shows of it: a line "..." stands for any number of lines, and blanks
/// at the end of lines do not count. @return the first shown line that does not come
std::string missing_line(const std::string& output, const std::vector<std::string>& shown) {
  std::vector<std::string> lines;
  std::istringstream text(output);
  for (std::string line; std::getline(text, line);) {
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(line);
  }
  std::size_t at = 0;
  bool anywhere = false;
  for (const std::string& one : shown) {
    if (one == "...") {
      anywhere = true;
      continue;
    }
    while (anywhere && at < lines.size() && !is_shown_as(lines[at], one)) ++at;
    if (at == lines.size() || !is_shown_as(lines[at], one)) return one;
    ++at;
    anywhere = false;
  }
  return "";
}

TEST_F(DocumentedCommands, PrintWhatIsShown) {
  fs::create_directory_symlink(fs::path(MORGANA_SOURCE) / "traces", path("traces"));
  std::size_t run = 0;
  for (const fs::path& document : documents())
    for (const FencedBlock& block : read_document(document).blocks) {
      if (!block.to_run) continue;
      std::string command;
      std::vector<std::string> shown;
      const auto check = [&] {
        if (command.empty()) return;
        const FinishedProcess done = in_shell(command + " 2>&1");
        EXPECT_EQ(missing_line(done.out, shown), "")
            << document << ":" << block.line << ": " << command << "\nprints\n"
            << done.out;
        ++run;
      };
      bool continued = false;
      for (const std::string& line : block.lines) {
        if (line.starts_with("$ ")) {
          check();
          command = line.substr(2);
          shown.clear();
        } else if (continued) {
          command += '\n' + line;
        } else {
          shown.push_back(line);
        }
        continued = line.ends_with('\\') && (continued || line.starts_with("$ "));
      }
      check();
    }
  EXPECT_GE(run, 8U);
}

}  // namespace
}  // namespace morgana::test
