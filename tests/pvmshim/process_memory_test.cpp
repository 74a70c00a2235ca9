#include "pvmshim/channel/process_memory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <array>
#include <cstring>
#include <mutex>
#include <vector>

#include "pvmshim/channel/emulator_channel.h"
#include "pvmshim/channel/rank_channel.h"
#include "tests/pvmshim/forked.h"

namespace morgana {
namespace {

using morgana::testing::Forked;
using ::testing::Each;

constexpr std::size_t size = 1 << 16;

std::uint64_t number_of(const void* memory) {
  return reinterpret_cast<std::uint64_t>(memory);
}

/// A child that sleeps, with its own copy of what this process's memory holds now.
int sleep_for_ever() {
  while (true) pause();
}

std::vector<std::byte> counted() {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 256);
  return bytes;
}

/// Every third byte or so: far more pieces than the kernel takes at once.
std::vector<MemoryPiece> many_pieces() {
  std::vector<MemoryPiece> pieces;
  for (std::size_t offset = 1; offset + 3 < size; offset += 5) pieces.push_back({offset, 1 + offset % 3});
  return pieces;
}

TEST(ProcessMemory, OfAnotherProcessIsReadWhileThatSleeps) {
  std::vector<std::byte> memory = counted();
  const Forked child(sleep_for_ever);
  std::ranges::fill(memory, std::byte{0});
  std::vector<std::byte> read(size);
  const std::array whole{MemoryPiece{0, size}};
  ASSERT_TRUE(ProcessMemory(child.pid()).read(number_of(memory.data()), whole, read.data()));
  EXPECT_EQ(read, counted());
  EXPECT_THAT(memory, Each(std::byte{0}));
}

TEST(ProcessMemory, ChangesInTheBytesOfThePiecesAndInNoOthers) {
  for (const bool own : {false, true}) {
    std::vector<std::byte> memory(size);
    const Forked child(sleep_for_ever);
    const ProcessMemory there(own ? getpid() : child.pid());
    const std::vector<std::byte> image = counted();
    ASSERT_TRUE(there.write(number_of(memory.data()), many_pieces(), image.data()));
    std::vector<std::byte> expected(size), read(size);
    for (const MemoryPiece& piece : many_pieces())
      std::memcpy(&expected[piece.offset], &image[piece.offset], piece.bytes);
    const std::array whole{MemoryPiece{0, size}};
    ASSERT_TRUE(there.read(number_of(memory.data()), whole, read.data()));
    EXPECT_EQ(read, expected);
  }
}

TEST(ProcessMemory, ThatIsNotThereIsSaidSo) {
  void* gone = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  munmap(gone, size);
  const Forked child(sleep_for_ever);
  std::byte byte{};
  const std::array one{MemoryPiece{0, 1}};
  EXPECT_FALSE(ProcessMemory(child.pid()).read(number_of(gone), one, &byte));
  EXPECT_FALSE(ProcessMemory(child.pid()).write(number_of(gone), one, &byte));
}

TEST(ProcessMemory, OfAProcessThatHasEndedIsNotThere) {
  Forked child([] { return 0; });
  ASSERT_EQ(child.result(), 0);
  std::byte byte{};
  const std::array one{MemoryPiece{0, 1}};
  EXPECT_FALSE(ProcessMemory(child.pid()).read(number_of(&byte), one, &byte));
}

TEST(MemoryMutex, IsPassedOnWhenItsHolderIsKilled) {
  ChannelSettings settings;
  settings.ranks = 2;
  EmulatorChannel emulator(settings, Bytes(1 << 20));
  {
    Forked holder([&] {
      RankChannel rank(emulator.path(), Rank{0});
      rank.memory_of(Rank{1}).lock();
      return raise(SIGKILL);
    });
    ASSERT_EQ(holder.result(), -SIGKILL);
  }
  RankChannel survivor(emulator.path(), Rank{1});
  const std::lock_guard held(survivor.memory_of(Rank{1}));
  const std::lock_guard other(survivor.memory_of(Rank{0}));  // each rank's memory has its own
}

TEST(MemoryMutex, LetsOneChangeAtATime) {
  ChannelSettings settings;
  settings.ranks = 3;
  EmulatorChannel emulator(settings, Bytes(1 << 20));
  auto* counter = static_cast<long*>(
      mmap(nullptr, sizeof(long), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  constexpr long rounds = 20'000;
  const auto count = [&](int number) {
    RankChannel rank(emulator.path(), Rank{number});
    for (long i = 0; i < rounds; ++i) {
      const std::lock_guard held(rank.memory_of(Rank{2}));
      *static_cast<volatile long*>(counter) = *static_cast<volatile long*>(counter) + 1;
    }
    return 0;
  };
  Forked first([&] { return count(0); }), second([&] { return count(1); });
  EXPECT_EQ(first.result(), 0);
  EXPECT_EQ(second.result(), 0);
  EXPECT_EQ(*counter, 2 * rounds);
  munmap(counter, sizeof(long));
}

TEST(Placement, IsToldToEveryRank) {
  ChannelSettings settings;
  settings.ranks = 3;
  const std::vector<std::uint32_t> hosts{4, 4, 9};
  EmulatorChannel emulator(settings, Bytes(1 << 20), hosts);
  RankChannel rank(emulator.path(), Rank{1});
  EXPECT_EQ(rank.host_of(Rank{0}), 4U);
  EXPECT_EQ(rank.host_of(Rank{1}), 4U);
  EXPECT_EQ(rank.host_of(Rank{2}), 9U);
}

TEST(Placement, PutsEachRankOnAHostOfItsOwnWhereNothingIsSaid) {
  ChannelSettings settings;
  settings.ranks = 2;
  EmulatorChannel emulator(settings, Bytes(1 << 20));
  RankChannel rank(emulator.path(), Rank{0});
  EXPECT_NE(rank.host_of(Rank{0}), rank.host_of(Rank{1}));
}

}  // namespace
}  // namespace morgana
