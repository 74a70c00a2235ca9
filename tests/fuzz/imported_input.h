#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "emulator/core/error.h"
#include "emulator/engine/engine.h"
#include "emulator/platform/platform.h"
#include "replay/imported_ranks.h"
#include "tests/support/temporary_folder.h"
#include "traces/import/imported_program.h"

namespace morgana::testing {

/// A file of another tool's trace, whose content an input decides: its first byte says whether the rest is
/// taken as it is, or as a patch of a good file: (place, byte) pairs.
class ImportedInput {
 public:
  using Reader = std::unique_ptr<ImportedProgram> (*)(const std::filesystem::path&);

  ImportedInput(const char* file, std::string good, Reader read)
      : file_(file), good_(std::move(good)), read_(read) {}

  /// Where other files of the trace can be put beside it.
  const TemporaryFolder& folder() const { return folder_; }

  /// Reads and runs it: that ends with a run or with an Error.
  void run(const std::uint8_t* data, std::size_t size) const {
    if (size < 1) return;
    std::string content(reinterpret_cast<const char*>(data) + 1, size - 1);
    if (data[0] % 2 == 1) {
      content = good_;
      for (std::size_t i = 1; i + 2 < size; i += 3)
        content[(data[i] * 256U + data[i + 1]) % content.size()] = static_cast<char>(data[i + 2]);
    }
    folder_.write(file_, content);
    try {
      const auto program = read_(folder_ / file_);
      constexpr std::size_t most_ranks = 64;
      if (program->ranks() > most_ranks) return;
      static const Platform platform = Platform::load("ideal");
      ImportedRanks ranks(*program);
      Machine machine = platform.build(ranks.ranks(), Placement(), 1);
      Engine(machine, ranks, {}).run();
    } catch (const Error&) {
    }
  }

 private:
  const char* file_;
  std::string good_;
  Reader read_;
  TemporaryFolder folder_;
};

}  // namespace morgana::testing
