// Whatever stands in a GOAL file, text or binary, reading it ends with a graph or with an Error, and running
// the graph ends, if only with a deadlock. The first byte says whether the input is taken as it is, or as a
// patch of a good binary schedule: (place, byte) pairs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "emulator/core/error.h"
#include "emulator/platform/platform.h"
#include "replay/graph_run.h"
#include "tests/support/goal_schedules.h"
#include "tests/support/temporary_folder.h"
#include "traces/import/goal.h"

namespace {

class File {
 public:
  std::shared_ptr<const morgana::DependencyGraph> read(const std::string& content) const {
    std::ofstream(folder_ / "s.goal", std::ios::binary | std::ios::trunc) << content;
    return morgana::read_goal_graph(folder_ / "s.goal");
  }

 private:
  morgana::testing::TemporaryFolder folder_;
};

void run(const morgana::DependencyGraph& graph) {
  static const morgana::Platform platform = morgana::Platform::load("loggopsim");
  constexpr std::size_t most_ranks = 64, most_nics = 4;
  if (graph.ranks() > most_ranks || graph.nics() > most_nics) return;
  morgana::Machine machine = platform.build(graph.ranks(), morgana::Placement(), 1, graph.nics());
  morgana::GraphRun(machine, graph, {}).run();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const File file;
  static const std::string good = morgana::testing::binary_goal(*file.read(
      "num_ranks 2\nrank 0 {\na: calc 7 cpu 1\nb: send 5b to 1 tag 3\nb irequires a\nc: recv 9b from 1\n"
      "c requires b\n}\nrank 1 {\na: recv 5b from -1 tag -1\nb: send 9b to 0\nb requires a\n}\n"));
  if (size < 1) return 0;
  std::string content(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 1) {
    content = good;
    for (std::size_t i = 1; i + 2 < size; i += 3)
      content[(data[i] * 256U + data[i + 1]) % content.size()] = static_cast<char>(data[i + 2]);
  }
  try {
    run(*file.read(content));
  } catch (const morgana::Error&) {
  }
  return 0;
}
