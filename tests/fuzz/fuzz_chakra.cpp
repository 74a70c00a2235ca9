// Whatever stands in an execution trace, reading it ends with a trace or with an Error, and running it ends,
// if only with a deadlock. The first byte says whether the input is taken as it is, as rank 0's file, or as a
// patch of a good one: (place, byte) pairs.

#include <cstddef>
#include <cstdint>
#include <fstream>
#include <memory>
#include <string>

#include "emulator/core/error.h"
#include "emulator/platform/platform.h"
#include "replay/chakra_graph.h"
#include "replay/graph_run.h"
#include "tests/support/chakra_traces.h"
#include "tests/support/temporary_folder.h"
#include "traces/import/chakra.h"

namespace {

using namespace morgana::testing;

std::string good_file(int peer) {
  ChakraNode groups(9, ChakraNode::metadata);
  groups.values("[{\"pg_name\": \"1\", \"ranks\": [0, 1]}]");
  return chakra_file({groups, chakra_compute(1, 7).after({2}), chakra_compute(2, 7).flag("is_cpu_op", true),
                      chakra_send(3, peer, 900, 4).ctrl({1}), chakra_receive(5, peer, 900, 4).with("tid", 3),
                      chakra_collective(4, 0, 4096).after({3}),
                      chakra_collective(6, 6, 64).text("pg_name", "1"),
                      ChakraNode(7, ChakraNode::compute).with("num_ops", 1000).with("tensor_size", 100)});
}

class Files {
 public:
  Files() { write(1, good_file(0)); }
  void write(int rank, const std::string& content) const {
    std::ofstream(folder_ / ("t." + std::to_string(rank) + ".et"), std::ios::binary | std::ios::trunc)
        << content;
  }
  std::shared_ptr<const morgana::chakra::Trace> read() const { return morgana::chakra::read(folder_ / "t"); }

 private:
  TemporaryFolder folder_;
};

/// What a run of moderate length needs: damaged sizes of messages would be cut into millions of chunks.
bool is_small(const morgana::chakra::Trace& trace) {
  constexpr std::int64_t most = 1 << 20;
  for (const morgana::chakra::RankTrace& rank : trace.ranks)
    for (const morgana::chakra::Node& node : rank.nodes)
      if (node.bytes > most) return false;
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Files files;
  static const std::string good = good_file(1);
  static const morgana::Platform platform = morgana::Platform::load("loggopsim");
  if (size < 1) return 0;
  std::string content(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 1) {
    content = good;
    for (std::size_t i = 1; i + 2 < size; i += 3)
      content[(data[i] * 256U + data[i + 1]) % content.size()] = static_cast<char>(data[i + 2]);
  }
  files.write(0, content);
  try {
    const auto trace = files.read();
    if (!is_small(*trace)) return 0;
    const morgana::DependencyGraph graph = morgana::graph_of(*trace, platform, morgana::Placement(), 1);
    morgana::Machine machine = platform.build(graph.ranks(), morgana::Placement(), 1, graph.nics());
    morgana::GraphRun(machine, graph, {}).run();
  } catch (const morgana::Error&) {
  }
  return 0;
}
