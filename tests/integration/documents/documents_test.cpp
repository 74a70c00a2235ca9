// What README.md and docs/ show must be there and be true: links, options, platforms, and the output of
// commands. The line above a block of commands says whether a test runs them: "<!-- run -->", or
// "<!-- not run: why -->".
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
#include <utility>
#include <vector>

#include "tests/integration/support/morgana_test.h"

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

/// A fenced block, and what the line above it says.
struct FencedBlock {
  std::size_t line = 0;
  std::string mark, language;
  std::vector<std::string> lines;

  bool to_run() const { return mark == "<!-- run -->"; }
  bool not_to_run() const { return mark.starts_with("<!-- not run: ") && mark.ends_with(" -->"); }
  bool holds_commands() const {
    static const std::regex command(
        R"((\$ |morgana [a-z]|build/bin/|mpicc|mpiexec|ninja|cmake |\./|sudo |docker |source |scripts/).*)");
    return language.empty() &&
           std::ranges::any_of(lines, [](const std::string& one) { return std::regex_match(one, command); });
  }
  /// Whether the first command stands there with what it prints.
  bool shows_output() const {
    return lines.size() > 1 && lines.front().starts_with("$ ") &&
           std::ranges::any_of(lines, [this](const std::string& one) {
             return &one != lines.data() && !one.starts_with("$ ") && !one.starts_with("    -- ");
           });
  }
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
      if (inside) document.blocks.push_back({number, before, line.substr(3), {}});
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
    if (document.parent_path().filename() == "decisions") continue;  // of its day
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

/// The first words of a help's lines below a heading.
std::vector<std::string> listed_below(const std::string& heading, const std::string& help) {
  std::vector<std::string> words;
  std::istringstream lines(help);
  bool is_below = false;
  for (std::string line; std::getline(lines, line);) {
    if (is_below && line.empty()) break;
    const bool is_item = line.starts_with("  ") && line.size() > 2 && line[2] != ' ';
    if (is_below && is_item) words.push_back(line.substr(2, line.find_first_of(" ,", 2) - 2));
    is_below = is_below || line == heading;
  }
  return words;
}

// The library that reads command lines (CLI11) refuses it from 2.4 on.
TEST_F(DocumentedCommands, HaveNoArgumentOfAnOptionsName) {
  const std::vector<std::string> commands = listed_below("Subcommands:", succeed({"--help"}).out);
  EXPECT_GT(commands.size(), 15U);
  for (const std::string& command : commands)
    for (const std::string& argument : listed_below("Positionals:", help_of(command)))
      EXPECT_FALSE(std::regex_search(help_of(command), std::regex("\n  (-[a-z],)?--" + argument + "\\b")))
          << command << ": " << argument;
}

/// Whether a line of a program's output is what a document shows: "..." at its end stands for anything.
bool is_shown_as(const std::string& line, std::string shown) {
  if (!shown.ends_with("...")) return line == shown;
  shown.resize(shown.size() - 3);
  return line.starts_with(shown);
}

/// "morgana: WHAT: 12 %", which comes every ten seconds of real time: on a busy machine alone.
bool is_progress(const std::string& line) {
  static const std::regex progress("morgana: .*: [0-9]+ %");
  return std::regex_match(line, progress);
}

/// Compares an output with what a block shows of it: a line "..." stands for any number of lines, and blanks
/// at the end of lines and reports of progress do not count. @return the first shown line that does not come;
/// empty if all do
std::string missing_line(const std::string& output, const std::vector<std::string>& shown) {
  std::vector<std::string> lines;
  std::istringstream text(output);
  for (std::string line; std::getline(text, line);) {
    line.erase(line.find_last_not_of(' ') + 1);
    if (!is_progress(line)) lines.push_back(line);
  }
  std::size_t at = 0;
  bool anywhere = false;
  for (const std::string& one : shown) {
    if (one == "...") {
      anywhere = true;
      continue;
    }
    while (anywhere && at < lines.size() && !is_shown_as(lines[at], one)) ++at;
    if (at == lines.size() || !is_shown_as(lines[at], one)) return one.empty() ? "an empty line" : one;
    ++at;
    anywhere = false;
  }
  return "";
}

/// A document of the repository, by its path below that.
class DocumentedOutput : public MorganaTest, public testing::WithParamInterface<std::string> {};

TEST_P(DocumentedOutput, IsWhatTheCommandsPrint) {
  const fs::path document = fs::path(MORGANA_SOURCE) / GetParam();
  fs::create_directory_symlink(fs::path(MORGANA_SOURCE) / "traces", path("traces"));
  for (const FencedBlock& block : read_document(document).blocks) {
    if (!block.to_run()) continue;
    std::string command;
    std::vector<std::string> shown;
    const auto check = [&] {
      if (command.empty()) return;
      const FinishedProcess done = in_shell(command + " 2>&1");
      EXPECT_EQ(missing_line(done.out, shown), "")
          << document << ":" << block.line << ": " << command << "\nprints\n"
          << done.out;
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
}

std::vector<std::string> documents_with_output() {
  std::vector<std::string> names;
  for (const fs::path& document : documents())
    if (std::ranges::any_of(read_document(document).blocks, &FencedBlock::to_run))
      names.push_back(fs::relative(document, MORGANA_SOURCE).string());
  return names;
}

INSTANTIATE_TEST_SUITE_P(Of, DocumentedOutput, testing::ValuesIn(documents_with_output()),
                         [](const auto& document) {
                           std::string name = document.param.substr(0, document.param.rfind('.'));
                           std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0; });
                           return name;
                         });

/// What is a decision or a measurement is of its day.
bool is_of_its_day(const fs::path& document) {
  const std::string folder = document.parent_path().filename().string();
  return folder == "decisions" || folder == "measurements";
}

TEST(Documents, HaveOneFormOfAWord) {
  const std::vector<std::pair<std::regex, const char*>> words{
      {std::regex(R"(\bprocessor times?\b)", std::regex::icase), "CPU time"},
      {std::regex(R"(\bspeed-up\b)", std::regex::icase), "speedup"},
      {std::regex(R"(\bcan't\b)", std::regex::icase), "cannot"}};
  for (const fs::path& document : documents()) {
    if (is_of_its_day(document)) continue;
    for (const std::string& line : lines_in(document))
      for (const auto& [word, form] : words)
        EXPECT_FALSE(std::regex_search(line, word)) << document << ": write \"" << form << "\" in: " << line;
  }
}

TEST(Documents, SayOfEveryBlockOfCommandsWhetherATestRunsIt) {
  std::size_t run = 0, all = 0;
  for (const fs::path& document : documents()) {
    if (is_of_its_day(document)) continue;
    for (const FencedBlock& block : read_document(document).blocks) {
      const std::string where = document.string() + ":" + std::to_string(block.line);
      if (block.to_run()) {
        EXPECT_TRUE(block.lines.front().starts_with("$ ")) << where << ": what is run begins with \"$ \"";
      }
      if (!block.holds_commands()) continue;
      ++all;
      run += block.to_run() ? 1 : 0;
      EXPECT_TRUE(block.to_run() || block.not_to_run())
          << where << ": write <!-- run --> or <!-- not run: why --> above it";
    }
  }
  RecordProperty("blocks_of_commands", static_cast<int>(all));
  RecordProperty("run_by_a_test", static_cast<int>(run));
  EXPECT_GE(3 * run, all) << run << " of " << all << " blocks of commands are run";
}

/// Before its first heading below the title a page shows what it is about.
TEST(Documents, OfUsersBeginWithACommandAndItsOutput) {
  const fs::path docs = fs::path(MORGANA_SOURCE) / "docs";
  std::vector<fs::path> pages;
  for (const auto& entry : fs::directory_iterator(docs / "guide")) pages.push_back(entry.path());
  for (const char* name :
       {"guide", "tutorial", "accuracy", "which-network", "roce", "tcp", "infiniband", "ai-clusters"})
    pages.push_back(docs / (name + std::string(".md")));
  EXPECT_GT(pages.size(), 15U);
  for (const fs::path& page : pages) {
    const std::vector<std::string> lines = lines_in(page);
    const auto heading =
        std::ranges::find_if(lines, [](const std::string& line) { return line.starts_with("## "); });
    const Document document = read_document(page);
    ASSERT_FALSE(document.blocks.empty()) << page;
    const FencedBlock& first = document.blocks.front();
    EXPECT_LT(static_cast<std::ptrdiff_t>(first.line), heading - lines.begin()) << page;
    EXPECT_TRUE(first.shows_output()) << page << ": a command, and what it prints";
    EXPECT_TRUE(first.to_run() || first.not_to_run()) << page;
  }
}

}  // namespace
}  // namespace morgana::test
