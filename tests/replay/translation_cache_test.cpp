#include "replay/translation/translation_cache.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>

#include "replay/translation/trace_translation.h"
#include "tests/replay/foreign_trace.h"

namespace morgana {
namespace {

using testing::ForeignTrace;
using testing::ScorePTrace;
namespace fs = std::filesystem;

/// A trace of two ranks, of which one can't be replayed to its end, and a cache for it.
class Cache : public ForeignTrace {
 protected:
  Cache() {
    ScorePTrace scorep = trace(2);
    send_4096_bytes(scorep);
    scorep.enter(1, 400, "MPI_Put");
    scorep.put(1, 400);
    scorep.leave(1, 500, "MPI_Put");
    scorep.finish(2500);
  }
  TraceTranslation translation() const { return TraceTranslation(folder_ / "trace", {}, cache_); }
  std::vector<fs::path> kept() const {
    std::vector<fs::path> files;
    if (fs::exists(cache_.folder()))
      for (const auto& entry : fs::directory_iterator(cache_.folder())) files.push_back(entry.path());
    return files;
  }

  TranslationCache cache_{folder_ / "cache", TranslationCache::usual_limit, 0};
};

void expect_same(const TraceTranslation& one, const TraceTranslation& other) {
  ASSERT_EQ(one.ranks(), other.ranks());
  for (std::int32_t rank = 0; rank < static_cast<std::int32_t>(one.ranks()); ++rank) {
    EXPECT_TRUE(std::ranges::equal(one.operations(Rank{rank}), other.operations(Rank{rank})));
    const std::string* error = one.error(Rank{rank});
    const std::string* other_error = other.error(Rank{rank});
    ASSERT_EQ(error == nullptr, other_error == nullptr);
    if (error != nullptr) {
      EXPECT_EQ(*error, *other_error);
    }
  }
  EXPECT_EQ(one.notices(), other.notices());
}

TEST_F(Cache, GivesWhatWasTranslatedBefore) {
  const TraceTranslation first = translation(), second = translation();
  EXPECT_FALSE(first.was_kept());
  EXPECT_TRUE(second.was_kept());
  expect_same(first, second);
  EXPECT_NE(second.error(Rank{1}), nullptr);
  EXPECT_EQ(kept().size(), 1U);
}

TEST_F(Cache, KnowsATraceByItsContent) {
  translation();
  fs::copy(folder_ / "trace", folder_ / "copy", fs::copy_options::recursive);
  EXPECT_TRUE(TraceTranslation(folder_ / "copy", {}, cache_).was_kept());
  fs::remove_all(folder_ / "trace");
  {
    ScorePTrace scorep = trace(2);
    send_4096_bytes(scorep);
    scorep.finish(2501);
  }
  EXPECT_FALSE(translation().was_kept());
  EXPECT_EQ(kept().size(), 2U);
}

// Each byte of the file but for its name and its time counts.
TEST_F(Cache, TranslatesAnewWhatIsDamaged) {
  const TraceTranslation first = translation();
  const fs::path file = kept().at(0);
  const auto size = static_cast<std::streamoff>(fs::file_size(file));
  for (std::streamoff at = 0; at < size; at += 7) {
    {
      std::fstream damaged(file, std::ios::in | std::ios::out | std::ios::binary);
      damaged.seekg(at);
      const int byte = damaged.get();
      damaged.seekp(at);
      damaged.put(static_cast<char>(byte ^ 0x10));
    }
    const TraceTranslation again = translation();
    EXPECT_FALSE(again.was_kept()) << "byte " << at;
    expect_same(first, again);
    EXPECT_TRUE(translation().was_kept());
  }
  for (std::streamoff length = 0; length < size; length += 13) {
    fs::resize_file(file, static_cast<std::uintmax_t>(length));
    EXPECT_FALSE(translation().was_kept()) << length << " bytes";
    EXPECT_TRUE(translation().was_kept());
  }
}

// The folder's place is taken, or there is no room: nothing is kept, and nothing is wrong.
TEST_F(Cache, DoesWithoutAPlace) {
  std::ofstream(folder_ / "cache") << "no folder";
  EXPECT_FALSE(translation().was_kept());
  EXPECT_FALSE(translation().was_kept());
  fs::remove(folder_ / "cache");
  cache_ = TranslationCache(folder_ / "cache", 10, 0);
  EXPECT_FALSE(translation().was_kept());
  EXPECT_FALSE(translation().was_kept());
}

/// In a process that may only do what is allowed to everybody: 1 if the translation was kept, 0 if not.
[[noreturn]] void tell_whether_kept(const std::function<TraceTranslation()>& translate) {
  constexpr unsigned nobody = 65534;
  if (geteuid() == 0 && (setgid(nobody) != 0 || setuid(nobody) != 0)) std::_Exit(2);
  std::_Exit(translate().was_kept() ? 1 : 0);
}

TEST_F(Cache, DoesWithoutPermissionToWrite) {
  fs::permissions(folder_.path(), fs::perms(0755));
  fs::create_directory(folder_ / "cache");
  fs::permissions(folder_ / "cache", fs::perms(0555));
  const auto translate = [this] { return translation(); };
  EXPECT_EXIT(tell_whether_kept(translate), ::testing::ExitedWithCode(0), "");
  EXPECT_TRUE(kept().empty());
  fs::permissions(folder_ / "cache", fs::perms(0755));
  translation();
  ASSERT_EQ(kept().size(), 1U);
  fs::permissions(kept().at(0), fs::perms(0444));
  fs::permissions(folder_ / "cache", fs::perms(0555));
  EXPECT_EXIT(tell_whether_kept(translate), ::testing::ExitedWithCode(1), "");
  fs::permissions(folder_ / "cache", fs::perms(0000));
  EXPECT_EXIT(tell_whether_kept(translate), ::testing::ExitedWithCode(0), "");
  fs::permissions(folder_ / "cache", fs::perms(0755));
}

TEST_F(Cache, KeepsNothingOfSmallTraces) {
  cache_ = TranslationCache(folder_ / "cache");
  translation();
  EXPECT_TRUE(kept().empty());
}

TEST_F(Cache, MakesRoomByWhatWasNotUsedForLongest) {
  const TranslatedRanks ranks{{0, 1000}, {}, {}};
  const std::vector<std::uint8_t> operations(1000);
  cache_ = TranslationCache(folder_ / "cache", 2500, 0);
  const fs::file_time_type now = fs::file_time_type::clock::now();
  cache_.keep("a.operations", operations, ranks);
  cache_.keep("b.operations", operations, ranks);
  fs::last_write_time(folder_ / "cache" / "a.operations", now - std::chrono::hours(2));
  fs::last_write_time(folder_ / "cache" / "b.operations", now - std::chrono::hours(1));
  EXPECT_TRUE(cache_.find("a.operations"));  // and so it is used now
  cache_.keep("c.operations", operations, ranks);
  EXPECT_TRUE(cache_.find("a.operations"));
  EXPECT_FALSE(cache_.find("b.operations"));
  EXPECT_TRUE(cache_.find("c.operations"));
}

TEST_F(Cache, IsCleared) {
  translation();
  std::ofstream(folder_ / "cache" / "other") << "not ours";
  const TranslationCache::Use removed = cache_.clear();
  EXPECT_EQ(removed.files, 1U);
  EXPECT_GT(removed.bytes, 0U);
  EXPECT_EQ(kept(), std::vector{folder_ / "cache" / "other"});
  EXPECT_EQ(cache_.use().files, 0U);
}

}  // namespace
}  // namespace morgana
