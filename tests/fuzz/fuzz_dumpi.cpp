// Whatever stands in the file of a rank of DUMPI, reading and running it ends with a run or with an Error.

#include "tests/fuzz/imported_input.h"
#include "tests/support/dumpi_writer.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto input = [] {
    auto made = std::make_unique<const morgana::testing::ImportedInput>(
        "t-0000.bin", morgana::testing::dumpi_ring()[0],
        [](const auto& file) { return morgana::read_dumpi(file); });
    morgana::testing::write_dumpi(made->folder(), morgana::testing::dumpi_ring());
    return made;
  }();
  input->run(data, size);
  return 0;
}
