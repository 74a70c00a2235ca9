#include "pvmshim/channel/capture_log.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>

#include "tests/pvmshim/forked.h"
#include "tests/pvmshim/random_operations.h"

namespace morgana {
namespace {

namespace fs = std::filesystem;
using testing::Forked;
using testing::RandomOperations;

class CaptureLog : public ::testing::Test {
 protected:
  CaptureLog() {
    std::string name = (fs::temp_directory_path() / "morgana-test-XXXXXX").string();
    folder_ = mkdtemp(name.data());
  }
  ~CaptureLog() override { fs::remove_all(folder_); }

  fs::path log() const { return folder_ / "rank-4.log"; }

  /// Writes `count` random operations, the same ones for the same seed.
  void write(std::uint64_t seed, int count, bool close = true) const {
    CaptureLogWriter writer(folder_, Rank{4});
    RandomOperations random(seed, 10);
    for (int i = 0; i < count; ++i) {
      const Operation operation = random.operation();
      writer.write(operation, SimTime::from_ps(i * 10), SimTime::from_ps(i * 10 + 5),
                   random.answer().completed);
    }
    if (close) writer.close();
  }
  /// Checks that the log holds the operations of `write`. @return how many
  int check(std::uint64_t seed, CaptureLogReader& reader) const {
    RandomOperations random(seed, 10);
    CapturedOperation captured;
    int count = 0;
    for (; reader.read(captured); ++count) {
      EXPECT_EQ(captured.operation, random.operation());
      EXPECT_EQ(captured.completed, random.answer().completed);
      EXPECT_EQ(captured.begin, SimTime::from_ps(count * 10));
      EXPECT_EQ(captured.end, SimTime::from_ps(count * 10 + 5));
    }
    return count;
  }

  fs::path folder_;
};

TEST_F(CaptureLog, GivesBackWhatWasWritten) {
  RecordProperty("seed", "9");
  write(9, 60'000);  // several pieces of the file
  CaptureLogReader reader(folder_, Rank{4});
  EXPECT_FALSE(reader.complete());
  EXPECT_EQ(check(9, reader), 60'000);
  EXPECT_TRUE(reader.complete());
}

TEST_F(CaptureLog, OfARankThatWasKilledHasAllThatItWrote) {
  Forked rank([this] {
    CaptureLogWriter writer(folder_, Rank{4});
    RandomOperations random(1, 10);
    for (int i = 0; i < 1'000; ++i) {
      const Operation operation = random.operation();
      writer.write(operation, SimTime::from_ps(i * 10), SimTime::from_ps(i * 10 + 5),
                   random.answer().completed);
    }
    return raise(SIGKILL);
  });
  EXPECT_EQ(rank.result(), -SIGKILL);
  CaptureLogReader reader(folder_, Rank{4});
  EXPECT_EQ(check(1, reader), 1'000);
  EXPECT_FALSE(reader.complete());
}

TEST_F(CaptureLog, ThatIsCutOffIsReadAsFarAsItIsWhole) {
  write(2, 20);
  const std::uintmax_t size = fs::file_size(log());
  int before = 20;
  for (std::uintmax_t cut = size - 1; cut >= 16; cut -= 5) {
    fs::resize_file(log(), cut);
    CaptureLogReader reader(folder_, Rank{4});
    const int count = check(2, reader);
    EXPECT_LE(count, before);
    EXPECT_FALSE(reader.complete());
    before = count;
  }
  EXPECT_EQ(before, 0);
}

TEST_F(CaptureLog, NonsenseIsAnErrorThatNamesTheFileAndTheOperation) {
  write(3, 20);
  std::fstream file(log(), std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(16 + 3 * 8);  // the first operation's first word
  file.write("\xff\xff\xff\xff\xff\xff\xff\xff", 8);
  file.close();
  CaptureLogReader reader(folder_, Rank{4});
  CapturedOperation captured;
  try {
    reader.read(captured);
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("rank-4.log, operation 1"), std::string::npos) << error.what();
  }
}

TEST_F(CaptureLog, DamageNeverDoesMoreThanRaiseAnError) {
  const std::uint64_t seed = 5;
  RecordProperty("seed", std::to_string(seed));
  RandomStream damage(seed, "damage");
  for (int i = 0; i < 300; ++i) {
    fs::remove(log());
    write(4, 5);
    const auto size = fs::file_size(log());
    std::fstream file(log(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(16 + damage.below(size - 16)));
    file.put(static_cast<char>(damage.below(256)));
    file.close();
    CaptureLogReader reader(folder_, Rank{4});
    CapturedOperation captured;
    try {
      int count = 0;
      while (reader.read(captured)) ++count;
      EXPECT_LE(count, 5);
    } catch (const Error&) {
    }
  }
}

TEST_F(CaptureLog, OfAnotherRankIsRefused) {
  write(1, 1);
  fs::rename(log(), folder_ / "rank-5.log");
  EXPECT_THROW(CaptureLogReader(folder_, Rank{5}), Error);
  EXPECT_THROW(CaptureLogReader(folder_, Rank{6}), Error);
}

TEST_F(CaptureLog, ThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(CaptureLogWriter(folder_ / "missing", Rank{0}), Error);
}

}  // namespace
}  // namespace morgana
