#include "pvmshim/agent/memory_relay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include "pvmshim/agent/frame.h"
#include "pvmshim/channel/emulator_channel.h"
#include "pvmshim/channel/remote_memory.h"

namespace morgana {
namespace {

constexpr Rank elsewhere{1};

std::uint64_t address_of(const void* memory) {
  return reinterpret_cast<std::uint64_t>(memory);
}

/// A machine whose rank 1 runs on another one, which is this process, too: what a relay sends there is
/// carried out in the memory of a child with its own copy of what this process's memory held when it began.
class Accesses : public testing::Test {
 protected:
  Accesses() { mutex_.initialise(); }
  ~Accesses() override { end(); }

  static ChannelSettings settings() {
    ChannelSettings all;
    all.ranks = 2;
    all.compute = ComputeMode::none;
    return all;
  }
  void begin() {
    process_ = fork();
    if (process_ == 0)
      while (true) pause();
  }
  void end() {
    if (process_ <= 0) return;
    kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = -1;
  }

  EmulatorChannel channel_{settings(), Bytes(1 << 20)};
  pid_t process_ = -1;
  RobustMutex mutex_{};
  std::atomic<std::size_t> requests_{0};
  MemoryRelay relay_{channel_.path(),
                     [this](Rank rank, std::uint64_t connection, std::span<const std::byte> request) {
                       EXPECT_EQ(rank, elsewhere);
                       ++requests_;
                       relay_.deliver(connection, carry_out(request, process_, mutex_));
                     }};
};

std::vector<std::byte> counted(std::size_t size) {
  std::vector<std::byte> bytes(size);
  for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + i / 256);
  return bytes;
}

TEST_F(Accesses, ReadAndWriteTheBytesOfThePiecesAndNoOthers) {
  constexpr std::size_t size = 100'000;
  std::vector<std::byte> memory = counted(size);
  begin();
  std::vector<MemoryPiece> pieces;  // more than the kernel takes at once
  for (std::size_t offset = 3; offset + 9 < size; offset += 11) pieces.push_back({offset, 1 + offset % 8});
  std::ranges::fill(memory, std::byte{0});
  RemoteMemory there(channel_.path());
  std::vector<std::byte> image(size, std::byte{1});
  ASSERT_TRUE(there.read(elsewhere, address_of(memory.data()), pieces, image.data()));
  std::vector<std::byte> expected(size, std::byte{1});
  for (const MemoryPiece& piece : pieces)
    std::copy_n(counted(size).begin() + static_cast<std::ptrdiff_t>(piece.offset), piece.bytes,
                expected.begin() + static_cast<std::ptrdiff_t>(piece.offset));
  EXPECT_EQ(image, expected);

  const std::vector<std::byte> twos(size, std::byte{2});
  ASSERT_TRUE(there.write(elsewhere, address_of(memory.data()), pieces, twos.data()));
  const std::array whole{MemoryPiece{0, size}};
  ASSERT_TRUE(there.read(elsewhere, address_of(memory.data()), whole, image.data()));
  expected = counted(size);
  for (const MemoryPiece& piece : pieces)
    std::fill_n(expected.begin() + static_cast<std::ptrdiff_t>(piece.offset), piece.bytes, std::byte{2});
  EXPECT_EQ(image, expected);
}

TEST_F(Accesses, OfMoreThanGoesAtOnceAreSeveral) {
  const std::size_t size = 2 * most_accessed_at_once + 5;
  auto* const memory = static_cast<std::byte*>(
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  begin();
  RemoteMemory there(channel_.path());
  const std::array whole{MemoryPiece{0, size}};
  const std::vector<std::byte> data = counted(size);
  ASSERT_TRUE(there.write(elsewhere, address_of(memory), whole, data.data()));
  EXPECT_EQ(requests_, 3U);
  std::vector<std::byte> image(size);
  ASSERT_TRUE(there.read(elsewhere, address_of(memory), whole, image.data()));
  EXPECT_EQ(requests_, 6U);
  EXPECT_TRUE(image == data);
  munmap(memory, size);
}

TEST_F(Accesses, ExchangeOnlyWhatIsExpected) {
  std::array<std::int32_t, 4> memory{10, 11, 12, 13};
  begin();
  RemoteMemory there(channel_.path());
  const std::array second_and_last{MemoryPiece{4, 4}, MemoryPiece{12, 4}};
  std::array<std::int32_t, 4> expected{0, 11, 0, 99}, wanted{0, 21, 0, 23};
  const auto exchange = [&] {
    std::size_t done = 0;
    return there.exchange(elsewhere, address_of(&memory), second_and_last,
                          reinterpret_cast<std::byte*>(expected.data()),
                          reinterpret_cast<const std::byte*>(wanted.data()), 4, done);
  };
  EXPECT_EQ(exchange(), MemoryOutcome::differs);
  EXPECT_THAT(expected, testing::ElementsAre(0, 11, 0, 13)) << "what it holds is told";
  EXPECT_EQ(exchange(), MemoryOutcome::done);
  EXPECT_EQ(exchange(), MemoryOutcome::differs);
  EXPECT_THAT(expected, testing::ElementsAre(0, 21, 0, 23));
}

// Elements of 12 bytes, which no part of a power of two ends with.
TEST_F(Accesses, ExchangeWholeElementsOfWhatGoesInParts) {
  const std::size_t elements = most_accessed_at_once / 12 + 10, size = elements * 12;
  auto* const memory = static_cast<std::byte*>(
      mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
  begin();
  RemoteMemory there(channel_.path());
  const std::array whole{MemoryPiece{0, size}};
  std::vector<std::byte> expected(size), wanted(size, std::byte{5});
  const std::size_t late = size - 1;
  expected[late] = std::byte{1};
  std::size_t done = 0;
  EXPECT_EQ(there.exchange(elsewhere, address_of(memory), whole, expected.data(), wanted.data(), 12, done),
            MemoryOutcome::differs);
  EXPECT_EQ(done, most_accessed_at_once / 12 * 12);
  EXPECT_EQ(expected[late], std::byte{0});
  EXPECT_EQ(there.exchange(elsewhere, address_of(memory), whole, expected.data(), wanted.data(), 12, done),
            MemoryOutcome::done);
  EXPECT_EQ(done, size);
  std::vector<std::byte> image(size);
  ASSERT_TRUE(there.read(elsewhere, address_of(memory), whole, image.data()));
  EXPECT_TRUE(image == wanted);
  munmap(memory, size);
}

TEST_F(Accesses, OfSeveralRanksLoseNoAddition) {
  constexpr int ranks = 4, additions = 300;
  std::int64_t counter = 0;
  begin();
  const std::array whole{MemoryPiece{0, sizeof counter}};
  std::vector<std::thread> threads;
  for (int rank = 0; rank < ranks; ++rank)
    threads.emplace_back([&] {
      RemoteMemory there(channel_.path());
      for (int i = 0; i < additions; ++i) {
        std::int64_t before = 0;
        there.read(elsewhere, address_of(&counter), whole, reinterpret_cast<std::byte*>(&before));
        MemoryOutcome outcome = MemoryOutcome::differs;
        for (std::size_t done = 0; outcome == MemoryOutcome::differs;) {
          const std::int64_t after = before + 1;
          outcome =
              there.exchange(elsewhere, address_of(&counter), whole, reinterpret_cast<std::byte*>(&before),
                             reinterpret_cast<const std::byte*>(&after), sizeof counter, done);
        }
        EXPECT_EQ(outcome, MemoryOutcome::done);
      }
    });
  for (std::thread& thread : threads) thread.join();
  std::int64_t all = 0;
  RemoteMemory(channel_.path())
      .read(elsewhere, address_of(&counter), whole, reinterpret_cast<std::byte*>(&all));
  EXPECT_EQ(all, std::int64_t{ranks} * additions);
}

TEST_F(Accesses, ToMemoryThatIsNotThereFail) {
  begin();
  RemoteMemory there(channel_.path());
  std::array<std::byte, 8> image{};
  const std::array whole{MemoryPiece{0, 8}};
  EXPECT_FALSE(there.read(elsewhere, 8, whole, image.data()));
  EXPECT_FALSE(there.write(elsewhere, 8, whole, image.data()));
  end();
  EXPECT_FALSE(there.read(elsewhere, address_of(&image), whole, image.data())) << "nor of one that has ended";
}

TEST_F(Accesses, FindNoAgentInARunOnOneMachine) {
  const EmulatorChannel alone(settings(), Bytes(1 << 20));
  RemoteMemory there(alone.path());
  std::array<std::byte, 8> image{};
  const std::array whole{MemoryPiece{0, 8}};
  EXPECT_THROW(there.read(elsewhere, 8, whole, image.data()), Error);
}

TEST(Requests, ThatContradictThemselvesAreRefused) {
  RobustMutex mutex{};
  mutex.initialise();
  std::mt19937 random(1);
  std::array<std::byte, 8> memory{};
  for (int i = 0; i < 20'000; ++i) {
    MemoryRequest head{MemoryAccess::exchange, 1, address_of(&memory), 1 + random() % 4, 1 + random() % 40};
    std::vector<std::byte> request(sizeof head + random() % 200);
    std::ranges::generate(request, [&] { return static_cast<std::byte>(random() % 3); });
    if (request.size() >= sizeof head) std::memcpy(request.data(), &head, sizeof head);
    EXPECT_THROW(carry_out(request, 0, mutex), MalformedFrame);
  }
  MemoryRequest head{MemoryAccess::read, 1, address_of(&memory), 1, 8};
  const MemoryPiece piece{0, 8};
  std::vector<std::byte> request(sizeof head + sizeof piece);
  std::memcpy(request.data(), &head, sizeof head);
  std::memcpy(request.data() + sizeof head, &piece, sizeof piece);
  EXPECT_EQ(carry_out(request, getpid(), mutex).size(), sizeof(MemoryReply) + 8);
  head.access = static_cast<MemoryAccess>(4);
  std::memcpy(request.data(), &head, sizeof head);
  EXPECT_THROW(carry_out(request, getpid(), mutex), MalformedFrame);
  head = {MemoryAccess::connection, 1, 0, 0, 0};
  request.resize(sizeof head);
  std::memcpy(request.data(), &head, sizeof head);
  EXPECT_THROW(carry_out(request, getpid(), mutex), MalformedFrame) << "only for this machine's ranks";
}

}  // namespace
}  // namespace morgana
