#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Rooms = std::set<std::string>;

Rooms with(Rooms rooms, const Rooms& more) {
  rooms.insert(more.begin(), more.end());
  return rooms;
}

/// Which rooms the files of a room may include besides their own.
const std::map<std::string, Rooms>& allowed() {
  static const Rooms core{"emulator/core"};
  static const Rooms operations = with(core, {"emulator/operations"});
  static const Rooms network = with(core, {"emulator/network"});
  static const Rooms topology = with(core, {"emulator/topology"});
  static const Rooms host = with(core, {"emulator/host"});
  static const Rooms transport = with(with(with(network, operations), host), {"emulator/transport"});
  static const Rooms process =
      with(with(transport, operations), {"emulator/process", "emulator/process/collectives"});
  static const Rooms channel = with(operations, {"pvmshim/channel"});
  static const Rooms platform = with(process, {"emulator/platform"});
  static const Rooms models{
      "emulator/network/logp",     "emulator/network/ethernet",  "emulator/network/smp",
      "emulator/network/fddi",     "emulator/network/atm",       "emulator/network/myrinet",
      "emulator/topology",         "emulator/routing",           "emulator/transport/aal5",
      "emulator/transport/direct", "emulator/transport/gobackn", "emulator/transport/interrupts",
      "emulator/interface/lanai",  "emulator/interface/gm",      "emulator/interface/gam",
      "emulator/interface/am2",    "emulator/transport/gam",     "emulator/transport/sscop",
      "emulator/transport/pcaal",  "emulator/pipeline"};
  static const Rooms above = with(platform, {"traces", "emulator/report"});
  static const Rooms experiments =
      with(above, {"replay", "pvmshim/launch", "pvmshim/channel", "emulator/traffic", "emulator/topology",
                   "emulator/routing", "emulator/network/atm", "emulator/network/myrinet",
                   "emulator/interface/gm", "emulator/pipeline"});
  static const std::map<std::string, Rooms> table{
      {"emulator/core", {}},
      {"emulator/operations", core},
      {"emulator/topology", core},
      {"emulator/routing", topology},
      {"emulator/network", core},
      {"emulator/network/logp", network},
      {"emulator/network/ethernet", with(with(network, topology), {"emulator/routing"})},
      {"emulator/network/atm", with(with(network, topology), {"emulator/routing"})},
      {"emulator/network/smp", network},
      {"emulator/network/fddi", network},
      {"emulator/network/myrinet", with(with(network, topology), {"emulator/routing"})},
      {"emulator/traffic", with(with(network, topology), {"emulator/routing", "emulator/network/myrinet"})},
      {"emulator/interface/lanai", core},
      {"emulator/interface/gm", with(with(network, topology), {"emulator/routing", "emulator/network/myrinet",
                                                               "emulator/interface/lanai"})},
      {"emulator/interface/gam",
       with(with(network, topology),
            {"emulator/routing", "emulator/network/myrinet", "emulator/interface/lanai"})},
      {"emulator/interface/am2",
       with(with(network, topology),
            {"emulator/routing", "emulator/network/myrinet", "emulator/interface/lanai"})},
      {"emulator/mapping", with(with(network, topology), {"emulator/routing", "emulator/network/myrinet"})},
      {"emulator/pipeline", core},
      {"emulator/host", network},
      {"emulator/transport", with(with(network, host), {"emulator/operations"})},
      {"emulator/transport/interrupts", transport},
      {"emulator/transport/aal5", transport},
      {"emulator/transport/direct", transport},
      {"emulator/transport/gobackn", transport},
      {"emulator/transport/pcaal", transport},
      {"emulator/transport/sscop", with(transport, {"emulator/transport/aal5"})},
      {"emulator/transport/gam", with(transport, {"emulator/pipeline"})},
      {"emulator/process/collectives", operations},
      {"emulator/process", process},
      {"emulator/platform", with(platform, models)},
      {"emulator/report", operations},
      {"traces", operations},
      {"replay", above},
      {"pvmshim/channel", operations},
      {"pvmshim/clock", channel},
      {"pvmshim/mpi", with(channel, {"pvmshim/clock", "traces"})},
      {"pvmshim/pvmd", operations},
      {"pvmshim/pvm", with(channel, {"pvmshim/clock", "pvmshim/pvmd", "traces"})},
      {"pvmshim/start", {}},
      {"pvmshim/launch", with(with(above, channel), {"pvmshim/pvmd", "pvmshim/start"})},
      {"benchmarks/kernels", {}},
      {"experiments", experiments},
      {"cli",
       with(experiments, {"experiments", "emulator/mapping", "emulator/pipeline", "benchmarks/kernels"})},
  };
  return table;
}

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

/// Every #include "..." of the source files below the rooms.
std::vector<Inclusion> inclusions() {
  std::vector<Inclusion> result;
  const fs::path source = MORGANA_SOURCE;
  for (const char* top : {"emulator", "traces", "replay", "pvmshim", "experiments", "cli"}) {
    for (const auto& entry : fs::recursive_directory_iterator(source / top)) {
      const std::string ending = entry.path().extension();
      if (ending != ".h" && ending != ".cpp" && ending != ".c" && ending != ".def") continue;
      std::ifstream file(entry.path());
      std::string text;
      for (int line = 1; std::getline(file, text); ++line) {
        if (!text.starts_with("#include \"")) continue;
        const std::size_t end = text.find('"', 10);
        result.push_back({fs::relative(entry.path(), source), line, text.substr(10, end - 10)});
      }
    }
  }
  return result;
}

TEST(House, EveryArrowRunsTheOneWayOfTheDesign) {
  const auto all = inclusions();
  ASSERT_GT(all.size(), 100u);  // the tree was really read
  for (const Inclusion& one : all) {
    const std::string from = room_of(one.file), to = room_of(one.included);
    EXPECT_TRUE(from == to || allowed().at(from).contains(to))
        << one.file << ":" << one.line << " includes " << one.included << ": " << from << " may not use "
        << to;
  }
}

TEST(House, EverySourceFileLiesInARoom) {
  for (const Inclusion& one : inclusions()) {
    EXPECT_NE(room_of(one.file), "") << one.file << " lies in no room that this test knows";
  }
}

TEST(House, IncludesNameTheirFileFromTheTop) {
  for (const Inclusion& one : inclusions()) {
    EXPECT_NE(one.included.find('/'), std::string::npos)
        << one.file << ":" << one.line << " includes " << one.included << " without its folder";
  }
}

TEST(House, TheTableOfRoomsHasNoCircle) {
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
