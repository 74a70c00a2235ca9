#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <regex>
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
  static const Rooms topology = with(core, {"emulator/schema", "emulator/topology"});
  static const Rooms myrinet =
      with(with(network, topology), {"emulator/routing", "emulator/network/myrinet/routes"});
  static const Rooms lanai = with(myrinet, {"emulator/network/myrinet", "emulator/interface/lanai"});
  static const Rooms host = with(core, {"emulator/host"});
  static const Rooms transport = with(with(with(network, operations), host), {"emulator/transport"});
  static const Rooms messaging = with(with(with(transport, operations), topology),
                                      {"emulator/messaging", "emulator/collectives", "emulator/traffic"});
  static const Rooms engine = with(messaging, {"emulator/engine"});
  static const Rooms channel = with(operations, {"pvmshim/channel"});
  static const Rooms platform = with(engine, {"emulator/schema", "emulator/platform"});
  static const Rooms models{"emulator/network/logp",
                            "emulator/network/ethernet",
                            "emulator/network/fabric",
                            "emulator/network/smp",
                            "emulator/network/fddi",
                            "emulator/network/atm",
                            "emulator/network/myrinet",
                            "emulator/network/myrinet/routes",
                            "emulator/topology",
                            "emulator/routing",
                            "emulator/transport/aal5",
                            "emulator/transport/direct",
                            "emulator/transport/gobackn",
                            "emulator/transport/interrupts",
                            "emulator/transport/infiniband",
                            "emulator/transport/tcp",
                            "emulator/transport/uet",
                            "emulator/interface/dma",
                            "emulator/interface/lanai",
                            "emulator/interface/gm",
                            "emulator/interface/gam",
                            "emulator/interface/am2",
                            "emulator/transport/gam",
                            "emulator/transport/sscop",
                            "emulator/transport/pcaal",
                            "emulator/transport/ece",
                            "emulator/transport/overlay",
                            "emulator/transport/assured",
                            "emulator/pipeline",
                            "emulator/transport/congestion"};
  static const Rooms traces{"traces/otf2", "traces/import", "traces/export"};
  static const Rooms above = with(with(platform, traces), {"emulator/report"});
  static const Rooms launch = with(with(above, channel), {"pvmshim/start"});
  static const Rooms runs =
      with(above, {"replay", "runs", "emulator/pipeline", "emulator/network/atm", "pvmshim/channel",
                   "pvmshim/launch/process", "pvmshim/launch/mpi", "pvmshim/launch/pvm", "pvmshim/agent"});
  static const Rooms experiments = with(
      runs, {"emulator/traffic", "emulator/topology", "emulator/routing", "emulator/network/myrinet",
             "emulator/network/myrinet/routes", "emulator/network/myrinet/traffic", "emulator/interface/gm",
             "emulator/transport/ece", "emulator/transport/pcaal", "emulator/network/fabric",
             "emulator/transport/infiniband", "emulator/transport/tcp", "emulator/transport/uet"});
  static const std::map<std::string, Rooms> table{
      {"emulator/core", {}},
      {"emulator/schema", core},
      {"emulator/operations", core},
      {"emulator/topology", with(core, {"emulator/schema"})},
      {"emulator/routing", topology},
      {"emulator/network", core},
      {"emulator/network/logp", network},
      {"emulator/network/ethernet", with(with(network, topology), {"emulator/routing"})},
      {"emulator/network/fabric", with(with(network, topology), {"emulator/routing"})},
      {"emulator/network/atm", with(with(network, topology), {"emulator/routing"})},
      {"emulator/network/smp", network},
      {"emulator/network/fddi", network},
      {"emulator/network/myrinet/routes", with(topology, {"emulator/routing"})},
      {"emulator/network/myrinet", myrinet},
      {"emulator/network/myrinet/mapping", with(myrinet, {"emulator/network/myrinet"})},
      {"emulator/network/myrinet/traffic", with(myrinet, {"emulator/network/myrinet", "emulator/traffic"})},
      {"emulator/traffic", with(network, topology)},
      {"emulator/interface/dma", with(network, host)},
      {"emulator/interface/lanai", core},
      {"emulator/interface/gm", lanai},
      {"emulator/interface/gam", lanai},
      {"emulator/interface/am2", lanai},
      {"emulator/pipeline", core},
      {"emulator/host", network},
      {"emulator/transport", with(with(network, host), {"emulator/operations"})},
      {"emulator/transport/interrupts", transport},
      {"emulator/transport/aal5", transport},
      {"emulator/transport/direct", transport},
      {"emulator/transport/gobackn", transport},
      {"emulator/transport/congestion", network},
      {"emulator/transport/infiniband", with(transport, {"emulator/transport/congestion"})},
      {"emulator/transport/tcp", with(transport, {"emulator/transport/congestion"})},
      {"emulator/transport/uet", with(transport, {"emulator/transport/congestion"})},
      {"emulator/transport/overlay", transport},
      {"emulator/transport/assured", transport},
      {"emulator/transport/pcaal", with(transport, {"emulator/transport/assured"})},
      {"emulator/transport/ece", with(transport, {"emulator/transport/assured", "emulator/transport/pcaal"})},
      {"emulator/transport/sscop",
       with(transport, {"emulator/transport/assured", "emulator/transport/aal5"})},
      {"emulator/transport/gam", with(transport, {"emulator/pipeline"})},
      {"emulator/collectives", operations},
      {"emulator/messaging", messaging},
      {"emulator/engine", engine},
      {"emulator/platform", with(platform, models)},
      {"emulator/report", operations},
      {"traces/import", operations},
      {"traces/otf2", with(operations, {"traces/import"})},
      {"traces/export", with(operations, {"traces/otf2", "traces/import"})},
      {"report", with(operations, {"emulator/report", "traces/export"})},
      {"replay", above},
      {"pvmshim/am", operations},
      {"pvmshim/channel", operations},
      {"pvmshim/clock", channel},
      {"pvmshim/mpi", with(channel, {"pvmshim/clock", "pvmshim/start", "traces/otf2"})},
      {"pvmshim/pvmd", operations},
      {"pvmshim/pvm", with(channel, {"pvmshim/clock", "pvmshim/pvmd", "traces/otf2"})},
      {"pvmshim/start", {}},
      {"pvmshim/launch/process", launch},
      {"pvmshim/launch/mpi", with(launch, {"pvmshim/launch/process"})},
      {"pvmshim/agent",
       with(launch, {"pvmshim/launch/process", "pvmshim/launch/mpi", "pvmshim/launch/pvm", "pvmshim/pvmd"})},
      {"pvmshim/launch/pvm", with(launch, {"pvmshim/launch/process", "pvmshim/pvmd"})},
      {"benchmarks/kernels", {}},
      {"runs", runs},
      {"experiments", experiments},
      {"cli/common", with(runs, {"report"})},
      {"cli", with(experiments, {"cli/common", "experiments", "emulator/network/myrinet/mapping",
                                 "emulator/pipeline", "benchmarks/kernels", "report"})},
  };
  return table;
}

/// Folders within a room, which may use what their room may, and their room, but not each other. A part of a
/// part may use that one, too.
const Rooms& parts() {
  static const Rooms all{
      "pvmshim/clock/interposed",
      "pvmshim/mpi/emulate",
      "pvmshim/mpi/record",
      "pvmshim/mpi/emulate/collectives",
      "pvmshim/mpi/emulate/communicators",
      "pvmshim/mpi/emulate/files",
      "pvmshim/mpi/emulate/messages",
      "pvmshim/mpi/emulate/onesided",
      "pvmshim/mpi/emulate/ucx",
      "emulator/collectives/nccl",
      "emulator/messaging/kernel",
      "emulator/network/fabric/switch",
      "emulator/platform/kinds",
      "emulator/report/limits",
      "emulator/report/pictures",
      "emulator/routing/topologies",
      "emulator/topology/kinds",
      "emulator/topology/listed",
      "replay/jobs",
      "replay/rings",
      "replay/translation",
      "runs/fit",
      "runs/placement",
      "runs/sweep",
      "cli/compare",
      "cli/completion",
      "cli/machine",
      "cli/pipelines",
      "cli/traffic",
      "pvmshim/mpi/stand_in",
      "pvmshim/mpi/stand_in/abi",
      "pvmshim/mpi/stand_in/openmpi",
      "pvmshim/pvm/emulate",
      "pvmshim/pvm/record",
      "experiments/am2",
      "pvmshim/pvm/declarations",
      "experiments/atm",
      "experiments/atmservices",
      "experiments/atmtransport",
      "experiments/infiniband",
      "experiments/itb",
      "experiments/modern",
      "experiments/nccl",
      "experiments/pipelines",
      "experiments/pushpull",
      "experiments/ultraethernet",
      "benchmarks/kernels/cg",
      "benchmarks/kernels/ep",
      "benchmarks/kernels/ft",
      "benchmarks/kernels/is",
      "benchmarks/kernels/mg",
      "benchmarks/kernels/pde1",
      "benchmarks/kernels/pde2",
      "benchmarks/kernels/solver",
      "traces/import/dumpi",
      "emulator/collectives/openmpi",
  };
  return all;
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
        << folder << " has source files, but no row in this test's table";
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
