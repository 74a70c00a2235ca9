#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Rooms = std::set<std::string>;

/// The table of rooms (cmake/rooms.txt), of which the build is made, too.
struct Table {
  std::map<std::string, Rooms> shared;  ///< by room: those that its users may include as well
  std::map<std::string, Rooms> own;     ///< by room: those for itself alone
  /// Folders within a room, which may use what their room may, and their room, but not each other. A part of
  /// a part may use that one, too.
  Rooms parts;
};

const Table& table() {
  static const Table all = [] {
    Table result;
    std::ifstream file(fs::path(MORGANA_SOURCE) / "cmake" / "rooms.txt");
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    std::istringstream lines(std::regex_replace(text, std::regex("\n +"), " "));
    for (std::string line; std::getline(lines, line);) {
      std::istringstream words(line);
      std::string room, word;
      words >> room;
      if (line.empty() || line.starts_with("#")) continue;
      words >> word;
      if (room == "part") {
        result.parts.insert(word);
        continue;
      }
      words >> word;
      EXPECT_EQ(word, ":") << line;
      Rooms* uses = &result.shared[room];
      result.own[room];
      while (words >> word)
        if (word == "|")
          uses = &result.own[room];
        else
          uses->insert(word);
    }
    return result;
  }();
  return all;
}

void add_with_what_it_shares(const std::string& room, Rooms& rooms) {
  ASSERT_TRUE(table().shared.contains(room)) << room << " is no room";
  if (!rooms.insert(room).second) return;
  for (const std::string& used : table().shared.at(room)) add_with_what_it_shares(used, rooms);
}

/// Which rooms the files of a room may include besides their own.
const std::map<std::string, Rooms>& allowed() {
  static const std::map<std::string, Rooms> all = [] {
    std::map<std::string, Rooms> result;
    for (const auto& [room, shared] : table().shared) {
      Rooms& rooms = result[room];
      for (const std::string& used : shared) add_with_what_it_shares(used, rooms);
      for (const std::string& used : table().own.at(room)) add_with_what_it_shares(used, rooms);
    }
    return result;
  }();
  return all;
}

const Rooms& parts() {
  return table().parts;
}
/// The one that the kernels share.
const std::string common_part = "benchmarks/kernels/common";

/// The room that a file of the source tree lies in: the longest one whose folder holds it.
std::string room_of(const std::string& file) {
  std::string best;
  for (const auto& [room, rooms] : allowed()) {
    if (file.starts_with(room + "/") && room.size() > best.size()) best = room;
  }
  return best;
}

struct Inclusion {
  std::string file;
  int line;
  std::string included;
};

constexpr const char* tops[] = {
    "emulator", "traces", "report", "replay", "pvmshim", "runs", "experiments", "cli", "benchmarks/kernels"};

/// What a line includes of the source tree: whatever stands in quotes, and what stands in angle brackets if
/// its first folder is one of ours.
std::optional<std::string> included_by(const std::string& text) {
  static const std::regex form(R"(^\s*#\s*include\s*(["<])([^">]+)[">])");
  std::smatch found;
  if (!std::regex_search(text, found, form)) return std::nullopt;
  const std::string path = found[2];
  if (found[1] == "\"") return path;
  const std::size_t slash = path.find('/');
  if (slash == std::string::npos || !fs::is_directory(fs::path(MORGANA_SOURCE) / path.substr(0, slash)))
    return std::nullopt;
  return path;
}

/// The source files below the rooms: all that a compiler reads.
std::vector<fs::path> sources() {
  static const Rooms endings{".h", ".hpp", ".hxx", ".cpp", ".cc", ".cxx", ".c", ".def", ".inc", ".ipp"};
  std::vector<fs::path> result;
  for (const char* top : tops)
    for (const auto& entry : fs::recursive_directory_iterator(fs::path(MORGANA_SOURCE) / top))
      if (endings.contains(entry.path().extension()) &&
          entry.path().string().find(".otf2/") == std::string::npos)  // definitions of recorded traces
        result.push_back(entry.path());
  return result;
}

std::string folder_of(const std::string& file) {
  return file.substr(0, file.rfind('/'));
}

/// Every #include of a file of the source tree in the source files below the rooms.
const std::vector<Inclusion>& inclusions() {
  static const std::vector<Inclusion> all = [] {
    std::vector<Inclusion> result;
    for (const fs::path& source : sources()) {
      std::ifstream file(source);
      std::string text;
      for (int line = 1; std::getline(file, text); ++line)
        if (text.find("include") != std::string::npos)
          if (const auto included = included_by(text))
            result.push_back({fs::relative(source, MORGANA_SOURCE), line, *included});
    }
    return result;
  }();
  return all;
}

TEST(House, SeesIncludesInEveryForm) {
  EXPECT_EQ(included_by("#include \"emulator/core/time.h\""), "emulator/core/time.h");
  EXPECT_EQ(included_by("  # include <emulator/core/time.h>  // why"), "emulator/core/time.h");
  EXPECT_EQ(included_by("#include \"time.h\""), "time.h");
  EXPECT_EQ(included_by("#include <sys/time.h>"), std::nullopt);
  EXPECT_EQ(included_by("// #include \"emulator/core/time.h\""), std::nullopt);
}

TEST(House, EveryArrowRunsTheOneWayOfTheDesign) {
  const auto& all = inclusions();
  ASSERT_GT(all.size(), 100u);  // the tree was really read
  for (const Inclusion& one : all) {
    const std::string from = room_of(one.file), to = room_of(one.included);
    ASSERT_NE(from, "") << one.file;
    EXPECT_TRUE(from == to || allowed().at(from).contains(to))
        << one.file << ":" << one.line << " includes " << one.included << ": " << from << " may not use "
        << (to.empty() ? "what lies in no room" : to);
  }
}

// A folder that the table doesn't know would pass for its parent, and arrows to it for the parent's.
TEST(House, EveryFolderIsARoomOrAPartOfOne) {
  Rooms folders;
  for (const fs::path& source : sources()) folders.insert(folder_of(fs::relative(source, MORGANA_SOURCE)));
  for (const std::string& folder : folders)
    EXPECT_TRUE(allowed().contains(folder) || parts().contains(folder) || folder == common_part)
        << folder << " has source files, but no row in cmake/rooms.txt";
  for (const std::string& part : parts()) {
    EXPECT_TRUE(folders.contains(part)) << part << " is no folder any more";
    EXPECT_NE(room_of(part + "/"), "") << part << " is part of no room";
  }
  for (const auto& [room, uses] : allowed()) {
    EXPECT_TRUE(fs::is_directory(fs::path(MORGANA_SOURCE) / room)) << room << " is no folder any more";
    EXPECT_FALSE(parts().contains(room)) << room;
  }
}

TEST(House, PartsOfARoomDoNotUseEachOther) {
  for (const Inclusion& one : inclusions()) {
    const std::string from = folder_of(one.file), to = folder_of(one.included);
    const bool nested = from.starts_with(to + "/") || to.starts_with(from + "/");
    const bool same_room =
        room_of(one.file) == room_of(one.included);  // other rooms' parts: as the table allows
    EXPECT_FALSE(same_room && from != to && !nested && parts().contains(to) &&
                 (parts().contains(from) || from == common_part))
        << one.file << ":" << one.line << " includes " << one.included << " of another part";
  }
}

TEST(House, IncludesNameTheirFileFromTheTop) {
  for (const Inclusion& one : inclusions()) {
    EXPECT_NE(one.included.find('/'), std::string::npos)
        << one.file << ":" << one.line << " includes " << one.included << " without its folder";
  }
}

TEST(House, TheTableOfRoomsHasNoCycle) {
  // A room reachable from itself over other rooms would make "one way" mean nothing.
  for (const auto& [room, uses] : allowed()) {
    Rooms reached = uses;
    for (std::size_t before = 0; before != reached.size();) {
      before = reached.size();
      Rooms next = reached;
      for (const std::string& used : reached) {
        for (const std::string& further : allowed().at(used)) next.insert(further);
      }
      reached = next;
    }
    for (const std::string& other : reached) {
      EXPECT_TRUE(other == room || !allowed().at(other).contains(room)) << room << " and " << other;
    }
  }
}

}  // namespace
