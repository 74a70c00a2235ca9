#include "replay/translation/scratch_stream.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdlib>
#include <string_view>

#include "emulator/core/error.h"

namespace morgana {
namespace {

/// Ends with 0 if a stream that grows beyond the limit on the size of files says so.
[[noreturn]] void outgrow_the_limit() {
  const rlimit limit{4096, 4096};
  if (setrlimit(RLIMIT_FSIZE, &limit) != 0) std::exit(2);
  try {
    ScratchStream stream;
    stream.buffer().resize(8192);
    stream.map();
  } catch (const Error& error) {
    std::exit(std::string_view(error.what()).find("File too large") == std::string_view::npos ? 3 : 0);
  }
  std::exit(1);
}

TEST(ScratchStream, BeyondTheLimitOnTheSizeOfFilesIsAnError) {
  EXPECT_EXIT(outgrow_the_limit(), ::testing::ExitedWithCode(0), "");
}

TEST(ScratchStream, GivesBackWhatWasWrittenInSeveralPieces) {
  ScratchStream stream;
  constexpr std::size_t piece = 1'000'003;  // two of them are beyond what the buffer holds
  for (std::size_t i = 0; i < 5; ++i) {
    stream.buffer().insert(stream.buffer().end(), piece, static_cast<std::uint8_t>(i));
    stream.flush_if_full();
  }
  stream.map();
  ASSERT_EQ(stream.bytes().size(), 5 * piece);
  for (std::size_t i = 0; i < 5; ++i) {
    EXPECT_EQ(stream.bytes()[i * piece], i);
    EXPECT_EQ(stream.bytes()[(i + 1) * piece - 1], i);
  }
}

}  // namespace
}  // namespace morgana
