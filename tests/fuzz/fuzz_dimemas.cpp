// Whatever stands in a trace of Dimemas, reading and running it ends with a run or with an Error. The first
// byte says whether the input is taken as it is, or as a patch of a good file: (place, byte) pairs.

#include <cstddef>
#include <cstdint>
#include <string>

#include "emulator/core/error.h"
#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"
#include "replay/imported_ranks.h"
#include "tests/support/bsc_traces.h"
#include "tests/support/temporary_folder.h"
#include "traces/import/imported_program.h"

namespace {

class Files {
 public:
  void write(const std::string& content) const { folder_.write("a.dim", content); }
  void run() const {
    static const morgana::Platform platform = morgana::Platform::load("ideal");
    constexpr std::size_t most_ranks = 64;
    const auto program = morgana::read_dimemas(folder_ / "a.dim");
    if (program->ranks() > most_ranks) return;
    morgana::ImportedRanks ranks(*program);
    morgana::Machine machine = platform.build(ranks.ranks(), morgana::Placement(), 1);
    morgana::Engine(machine, ranks, {}).run();
  }

 private:
  morgana::testing::TemporaryFolder folder_;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Files files;
  static const std::string good = morgana::testing::dimemas_ring;
  if (size < 1) return 0;
  std::string content(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (data[0] % 2 == 1) {
    content = good;
    for (std::size_t i = 1; i + 2 < size; i += 3)
      content[(data[i] * 256U + data[i + 1]) % content.size()] = static_cast<char>(data[i + 2]);
  }
  files.write(content);
  try {
    files.run();
  } catch (const morgana::Error&) {
  }
  return 0;
}
