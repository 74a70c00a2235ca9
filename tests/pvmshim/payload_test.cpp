#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <set>
#include <vector>

#include "emulator/core/random.h"
#include "pvmshim/channel/payload_arenas.h"
#include "pvmshim/channel/rank_channel.h"
#include "tests/pvmshim/channel_support.h"
#include "tests/pvmshim/forked.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;
using testing::Forked;
using testing::next_of;
using testing::settings_for;

constexpr Bytes room(1 << 20);

Operation carrying(std::uint64_t payload) {
  Operation operation;
  operation.kind = OperationKind::send;
  operation.payload = payload;
  return operation;
}

TEST(Payload, IsReadByAnotherRank) {
  EmulatorChannel emulator(settings_for(2), room);
  RankChannel writer(emulator.path(), Rank{0});
  RankChannel reader(emulator.path(), Rank{1});
  const std::uint64_t handle = writer.allocate(Bytes(5), 1);
  ASSERT_NE(handle, 0U);
  std::memcpy(writer.data(handle).data(), "cells", 5);
  ASSERT_EQ(reader.data(handle).size(), 5U);
  EXPECT_EQ(std::memcmp(reader.data(handle).data(), "cells", 5), 0);
}

TEST(Payload, OfNoBytesHasABlockToo) {
  EmulatorChannel emulator(settings_for(1), room);
  RankChannel rank(emulator.path(), Rank{0});
  const std::uint64_t handle = rank.allocate(Bytes(0), 1);
  EXPECT_NE(handle, 0U);
  EXPECT_EQ(rank.data(handle).size(), 0U);
}

TEST(Payload, IsFreeAgainAfterItsLastReader) {
  EmulatorChannel emulator(settings_for(2), room);
  RankChannel writer(emulator.path(), Rank{0});
  RankChannel reader(emulator.path(), Rank{1});
  const Bytes most_of_it(900'000);
  for (int i = 0; i < 10; ++i) {
    const std::uint64_t handle = writer.allocate(most_of_it, 3);
    reader.release(handle);
    writer.release(handle);
    EXPECT_EQ(reader.data(handle).size(), 900'000U);
    reader.release(handle);
  }
}

TEST(Payload, ThatCanNeverFitIsRefused) {
  EmulatorChannel emulator(settings_for(1), room);
  RankChannel rank(emulator.path(), Rank{0});
  EXPECT_THROW(rank.allocate(room, 1), Error);
  EXPECT_THROW(rank.allocate(room - Bytes(64), 1), Error);
  EXPECT_THROW(rank.allocate(Bytes(std::int64_t{1} << 62), 1), Error);
}

TEST(Payload, HandlesThatNameNoBlockAreRefused) {
  EmulatorChannel emulator(settings_for(2), room);
  RankChannel rank(emulator.path(), Rank{0});
  const std::uint64_t handle = rank.allocate(Bytes(100), 1);
  EXPECT_THROW(rank.data(0), Error);
  EXPECT_THROW(rank.data(handle + 1), Error);
  EXPECT_THROW(rank.data(handle + 16), Error);
  EXPECT_THROW(rank.data(1 + PayloadArenas::size(2, 1 << 20)), Error);
  EXPECT_THROW(rank.data(~std::uint64_t{0}), Error);
  rank.release(handle);
  EXPECT_THROW(rank.data(handle), Error);
}

TEST(Payload, OfAnotherRankIsNotFreed) {
  constexpr std::uint64_t large = 1 << 16;
  void* const memory = std::aligned_alloc(4096, (PayloadArenas::size(2, large) + 4095) / 4096 * 4096);
  std::memset(memory, 0, PayloadArenas::size(2, large));
  PayloadArenas one(static_cast<std::byte*>(memory), large, 2, Rank{0});
  PayloadArenas other(static_cast<std::byte*>(memory), large, 2, Rank{1});
  for (const std::int64_t size : {8, 500, 5000}) {
    const std::uint64_t handle = one.allocate(Bytes(size), 1);
    EXPECT_THROW(other.free(handle), Error) << size;
    std::atomic<std::uint64_t> released{0};
    other.put_on_list(released, handle);
    EXPECT_THROW(other.free_list(released), Error) << size;
    EXPECT_NO_THROW(one.free(handle)) << size;
  }
  std::free(memory);
}

/// Reading something small of everybody's must not take tables of the system's for each: it lies within a
/// page a rank, and the pages lie together.
TEST(Payload, SmallOnesOfAllRanksLieTogether) {
  constexpr std::size_t ranks = 64;
  EmulatorChannel emulator(settings_for(ranks), room);
  std::deque<RankChannel> writers;
  std::vector<std::uint64_t> handles;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    auto& writer = writers.emplace_back(emulator.path(), Rank{static_cast<std::int32_t>(rank)});
    handles.push_back(writer.allocate(Bytes(1000), 1));
  }
  const auto [first, last] = std::minmax_element(handles.begin(), handles.end());
  EXPECT_LT(*last - *first, ranks * 4096);
}

// Each page that somebody reads of costs a page fault.
TEST(Payload, ShortOnesOfEightRanksShareAPage) {
  constexpr std::size_t ranks = 64;
  EmulatorChannel emulator(settings_for(ranks), room);
  std::deque<RankChannel> writers;
  std::set<std::uint64_t> pages;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    auto& writer = writers.emplace_back(emulator.path(), Rank{static_cast<std::int32_t>(rank)});
    for (int block = 0; block < 2; ++block) pages.insert((writer.allocate(Bytes(64), 1) - 1) / 4096);
  }
  EXPECT_EQ(pages.size(), ranks / 8);
}

TEST(Payload, MoreSmallOnesThanAPageHoldsFindRoomAndAllGoBack) {
  EmulatorChannel emulator(settings_for(2), room);
  RankChannel writer(emulator.path(), Rank{0}), reader(emulator.path(), Rank{1});
  for (int round = 0; round < 50; ++round) {
    std::vector<std::uint64_t> handles;
    for (int i = 0; i < 500; ++i) {  // 500 of up to 1,500 bytes: a page holds a few, an arena of 1 MiB all
      const std::uint64_t handle = handles.emplace_back(writer.allocate(Bytes(i * 3), 1));
      std::memset(writer.data(handle).data(), i % 251, writer.data(handle).size());
    }
    for (int i = 0; i < 500; ++i) {
      const auto data = reader.data(handles[static_cast<std::size_t>(i)]);
      ASSERT_EQ(data.size(), static_cast<std::size_t>(i * 3));
      for (const std::byte byte : data) ASSERT_EQ(byte, static_cast<std::byte>(i % 251));
      (i % 2 == 0 ? reader : writer).release(handles[static_cast<std::size_t>(i)]);
    }
  }
}

TEST(Payload, HandlesAreCheckedWhereverTheyPoint) {
  const std::uint64_t seed = 3;
  RecordProperty("seed", std::to_string(seed));
  EmulatorChannel emulator(settings_for(2), room);
  RankChannel rank(emulator.path(), Rank{0});
  RandomStream random(seed, "handles");
  for (int i = 0; i < 100'000; ++i)
    EXPECT_THROW(rank.data(random.below(PayloadArenas::size(3, 1 << 20))), Error) << "seed " << seed;
}

TEST(Payload, TheWriterSleepsUntilTheReaderHasMadeRoom) {
  constexpr std::uint64_t messages = 200;
  static constexpr Bytes size(300'000);  // three fit
  EmulatorChannel emulator(settings_for(2), room);
  const std::string path = emulator.path();
  Forked writer([&path] {
    RankChannel channel(path, Rank{0});
    for (std::uint64_t i = 0; i < messages; ++i) {
      const std::uint64_t handle = channel.allocate(size, 1);
      std::memset(channel.data(handle).data(), static_cast<int>(i % 251), channel.data(handle).size());
      channel.post(carrying(handle));
    }
    Answer answer;
    channel.await(answer);  // the arena is the reader's to read until now
    return 0;
  });
  Forked reader([&path] {
    RankChannel channel(path, Rank{1});
    Answer answer;
    for (std::uint64_t i = 0; i < messages; ++i) {
      channel.await(answer);
      const std::uint64_t handle = answer.completed.at(0).payload;
      for (const std::byte byte : channel.data(handle))
        if (byte != static_cast<std::byte>(i % 251)) return 1;
      channel.release(handle);
    }
    channel.post(carrying(0));
    return 0;
  });
  Answer answer;
  answer.completed.resize(1);
  for (std::uint64_t i = 0; i < messages; ++i) {
    answer.completed[0].payload = next_of(emulator, Rank{0}).payload;
    emulator.answer(Rank{1}, answer);
  }
  next_of(emulator, Rank{1});
  emulator.answer(Rank{0}, Answer());
  EXPECT_EQ(reader.result(), 0);
  EXPECT_EQ(writer.result(), 0);
}

// Of messages that are lost or come back, the emulator says that nobody will read them.
TEST(Payload, TheWriterSleepsUntilTheEmulatorHasMadeRoom) {
  constexpr std::uint64_t messages = 50;
  EmulatorChannel emulator(settings_for(2), room);
  const std::string path = emulator.path();
  Forked writer([&path] {
    RankChannel channel(path, Rank{0});
    for (std::uint64_t i = 0; i < messages; ++i)
      channel.post(carrying(channel.allocate(i % 5 == 0 ? Bytes(100) : Bytes(300'000), 1)));
    Answer answer;
    channel.await(answer);
    return 0;
  });
  for (std::uint64_t i = 0; i < messages; ++i) emulator.release(next_of(emulator, Rank{0}).payload);
  emulator.answer(Rank{0}, Answer());
  EXPECT_EQ(writer.result(), 0);
}

TEST(Payload, TheEmulatorIsOneReaderAmongOthers) {
  EmulatorChannel emulator(settings_for(2), room);
  RankChannel rank(emulator.path(), Rank{0});
  const std::uint64_t handle = rank.allocate(Bytes(5), 2);
  emulator.release(handle);
  EXPECT_EQ(rank.data(handle).size(), 5U);
  rank.release(handle);
  EXPECT_THROW(emulator.release(handle), Error);
  EXPECT_THROW(emulator.release(~std::uint64_t{0}), Error);
}

TEST(Payload, ManyReadersReleaseAtOnce) {
  constexpr std::int32_t readers = 5;
  constexpr int messages = 2'000;
  EmulatorChannel emulator(settings_for(readers + 1), room);
  const std::string path = emulator.path();
  Forked writer([&path] {
    RankChannel channel(path, Rank{0});
    for (int i = 0; i < messages; ++i) channel.post(carrying(channel.allocate(Bytes(5'000), readers)));
    channel.allocate(Bytes(1'000'000), 1);  // fits only when all of it is free again
    channel.post(carrying(0));
    return 0;
  });
  std::deque<Forked> processes;
  for (std::int32_t i = 1; i <= readers; ++i)
    processes.emplace_back([&path, i] {
      RankChannel channel(path, Rank{i});
      Answer answer;
      for (int n = 0; n < messages; ++n) {
        channel.await(answer);
        channel.release(answer.completed.at(0).payload);
      }
      return 0;
    });
  Answer answer;
  answer.completed.resize(1);
  for (int n = 0; n < messages; ++n) {
    answer.completed[0].payload = next_of(emulator, Rank{0}).payload;
    for (std::int32_t i = 1; i <= readers; ++i) emulator.answer(Rank{i}, answer);
  }
  EXPECT_EQ(next_of(emulator, Rank{0}).payload, 0U);
  EXPECT_EQ(writer.result(), 0);
  for (Forked& process : processes) EXPECT_EQ(process.result(), 0);
}

TEST(Payload, ARankThatLacksRoomSaysSo) {
  EmulatorChannel emulator(settings_for(1), room);
  Forked writer([path = emulator.path()] {
    RankChannel channel(path, Rank{0});
    while (true) channel.post(carrying(channel.allocate(Bytes(10'000), 1)));
    return 0;
  });
  Operation operation;
  while (emulator.rest(Rank{0}) != EmulatorChannel::Rest::for_room)
    while (emulator.take(Rank{0}, operation)) {
    }
  EXPECT_TRUE(emulator.pid_of(Rank{0}));
}

}  // namespace
}  // namespace morgana
