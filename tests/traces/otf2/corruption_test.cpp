#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

#include "emulator/core/random.h"
#include "tests/support/otf2_leaks.h"
#include "tests/support/temporary_folder.h"
#include "tests/traces/otf2/sample_trace.h"
#include "traces/otf2/trace_reader.h"
#include "traces/otf2/trace_statistics.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using testing::TemporaryFolder;
using testing::write_sample;

std::string contents_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void replace(const fs::path& file, const std::string& contents) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << contents;
}

class Corruption : public ::testing::Test {
 protected:
  Corruption() { write_sample(folder_ / "trace", 200); }

  std::vector<fs::path> files() const {
    const fs::path trace = folder_ / "trace";
    return {trace / "traces.otf2", trace / "traces.def", trace / "traces" / "0.evt",
            trace / "traces" / "0.def"};
  }
  /// What reading all of it says, nothing if that is no error; any exception that is no Error is a failure of
  /// the test.
  std::string error() const {
    try {
      read_trace_statistics(folder_ / "trace");
      return "";
    } catch (const Error& error) {
      EXPECT_STRNE(error.what(), "");
      return error.what();
    }
  }
  bool is_error() const { return !error().empty(); }
  TemporaryFolder folder_;
};

TEST_F(Corruption, AWholeTraceIsNoError) {
  EXPECT_FALSE(is_error());
}

TEST_F(Corruption, AMissingFileIsAnError) {
  for (const fs::path& file : files()) {
    const std::string whole = contents_of(file);
    fs::remove(file);
    EXPECT_TRUE(is_error()) << file;
    replace(file, whole);
  }
}

TEST_F(Corruption, AMissingTraceIsAnError) {
  EXPECT_THROW(TraceReader(folder_ / "nothing"), Error);
  EXPECT_THROW(TraceReader(folder_.path()), Error);
}

TEST_F(Corruption, AFileThatEndsEarlyIsAnError) {
  for (const fs::path& file : files()) {
    const std::string whole = contents_of(file);
    for (std::size_t part = 0; part < 8; ++part) {
      replace(file, whole.substr(0, whole.size() * part / 8));
      EXPECT_TRUE(is_error()) << file << " cut to " << part << "/8";
    }
    replace(file, whole);
  }
}

// The count stands behind the third zero byte after byte 46 (machine, creator, description).
TEST_F(Corruption, MorePropertiesThanTheAnchorHoldsAreAnError) {
  const fs::path anchor = folder_ / "trace" / "traces.otf2";
  const std::string whole = contents_of(anchor);
  std::size_t count = 46;
  for (int text = 0; text < 3; ++text) count = whole.find('\0', count) + 1;
  for (std::size_t byte = 0; byte < 4; ++byte)
    for (const unsigned more : {0x01U, 0x7fU, 0x80U}) {
      std::string damaged = whole;
      damaged[count + byte] = static_cast<char>(static_cast<unsigned char>(whole[count + byte]) + more);
      replace(anchor, damaged);
      EXPECT_TRUE(is_error()) << "byte " << byte << " of the count, " << more << " more";
    }
}

TEST_F(Corruption, AnEmptyFileAndOneOfGarbageAreErrors) {
  for (const fs::path& file : files()) {
    const std::string whole = contents_of(file);
    for (const std::string& garbage : {std::string(), std::string(5000, 'x'), std::string(5000, '\0')}) {
      replace(file, garbage);
      EXPECT_TRUE(is_error()) << file;
    }
    replace(file, whole);
  }
}

/// Wrong bytes may make a trace that is right, or one that is an Error; never anything worse.
TEST_F(Corruption, WrongBytesDoNoHarm) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    RandomStream random(seed, "corruption");
    // Not the anchor: only OTF2 itself reads it, and asks for whatever memory it names.
    const fs::path file = files()[1 + random.below(3)];
    const std::string whole = contents_of(file);
    std::string wrong = whole;
    const std::uint64_t changes = 1 + random.below(8);
    for (std::uint64_t i = 0; i < changes; ++i)
      wrong[random.below(wrong.size())] = static_cast<char>(random.below(256));
    replace(file, wrong);
    is_error();
    replace(file, whole);
  }
}

// A byte 2 is the end of a file to OTF2, and a part of numbers besides.
TEST_F(Corruption, AFileThatEndsWithinItsRecordsIsRefusedByItsName) {
  int cuts = 0;
  for (const fs::path& file : files()) {
    if (file.extension() == ".otf2") continue;
    const std::string whole = contents_of(file);
    for (std::size_t size = 1; size + 1 < whole.size(); ++size) {
      if (whole[size - 1] != '\2' || ++cuts % 10 != 0) continue;
      replace(file, whole.substr(0, size));
      EXPECT_THAT(error(), HasSubstr(file.filename().string() + " is cut off after")) << size;
    }
    replace(file, whole);
  }
  EXPECT_GT(cuts, 100);
}

// To OTF2 a byte 0 where a record should begin is the end of a chunk, behind which it reads on.
TEST_F(Corruption, AChunkThatEndsTooEarlyHasNoRecordsBehindIt) {
  std::size_t refused = 0;
  for (const fs::path& file : files()) {
    if (file.extension() == ".otf2") continue;
    const std::string whole = contents_of(file);
    const std::size_t step = 1 + whole.size() / 1000;
    for (std::size_t byte = 0; byte < whole.size(); byte += step) {
      std::string wrong = whole;
      wrong[byte] = '\0';
      replace(file, wrong);
      refused += is_error() ? 1 : 0;
    }
    replace(file, whole);
  }
  EXPECT_GT(refused, 100);
  EXPECT_FALSE(is_error());
}

}  // namespace
}  // namespace morgana
