// Whatever stands in a trace of Dimemas, reading and running it ends with a run or with an Error.

#include "tests/fuzz/imported_input.h"
#include "tests/support/bsc_traces.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const morgana::testing::ImportedInput input(
      "a.dim", morgana::testing::dimemas_ring, [](const auto& file) { return morgana::read_dimemas(file); });
  input.run(data, size);
  return 0;
}
