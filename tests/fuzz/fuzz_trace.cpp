// Whatever is wrong with the bytes of a trace's files, reading it ends with operations or with an Error. The
// input is a patch of a good trace: which file, how much of its end to cut off, then (place, byte) pairs.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "replay/trace_source.h"
#include "tests/support/otf2_leaks.h"
#include "tests/support/temporary_folder.h"
#include "tests/traces/otf2/sample_trace.h"
#include "traces/otf2/trace_statistics.h"

namespace {

class GoodTrace {
 public:
  GoodTrace() {
    morgana::testing::write_sample(trace(), 20);
    // Not the anchor file: only OTF2 itself reads it, and asks for whatever memory it names.
    for (const char* name : {"traces.def", "traces/0.evt", "traces/1.evt", "traces/0.def"}) {
      std::ifstream file(trace() / name, std::ios::binary);
      files_.push_back({trace() / name, {std::istreambuf_iterator<char>(file), {}}});
    }
  }
  std::filesystem::path trace() const { return folder_ / "trace"; }

  struct File {
    std::filesystem::path path;
    std::string bytes;
    void put(const std::string& content) const {
      std::ofstream(path, std::ios::binary | std::ios::trunc) << content;
    }
  };
  const File& file(std::size_t i) const { return files_[i % files_.size()]; }

 private:
  morgana::testing::TemporaryFolder folder_;
  std::vector<File> files_;
};

void read(const std::filesystem::path& trace) {
  morgana::read_trace_statistics(trace);
  morgana::TraceSource source(trace);
  morgana::Operation operation;
  for (std::size_t i = 0; i < source.ranks(); ++i) do {
      source.next(morgana::Rank{static_cast<std::int32_t>(i)}, operation);
      if (operation.elapsed < morgana::SimTime()) std::abort();
    } while (operation.kind != morgana::OperationKind::exit);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const GoodTrace good;
  if (size < 3) return 0;
  const GoodTrace::File& file = good.file(data[0]);
  std::string bytes = file.bytes;
  bytes.resize(bytes.size() - std::min<std::size_t>(bytes.size(), data[1] < 128 ? 0 : data[1] - 127U));
  for (std::size_t i = 2; i + 2 < size && !bytes.empty(); i += 3)
    bytes[(data[i] * 256U + data[i + 1]) % bytes.size()] = static_cast<char>(data[i + 2]);
  file.put(bytes);
  try {
    read(good.trace());
  } catch (const morgana::Error&) {
  }
  file.put(file.bytes);
  return 0;
}
