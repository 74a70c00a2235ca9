#include "pvmshim/mpi/emulate/ucx/letter_box.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>

#include "tests/pvmshim/forked.h"

namespace morgana::mpi::emulated {
namespace {

using namespace std::chrono_literals;
using testing::Forked;
using testing::Pipe;

constexpr auto long_enough = std::chrono::microseconds(2min);

/// A name that no other test's run has at the same time.
std::string fresh_run() {
  static int runs = 0;
  return "letter-box-test." + std::to_string(getpid()) + "." + std::to_string(++runs);
}

/// The same for a sender's number and a length: any mistake in order or content shows.
std::vector<std::byte> content(std::uint64_t number, std::size_t length) {
  std::vector<std::byte> data(length);
  for (std::size_t i = 0; i < length; ++i) data[i] = static_cast<std::byte>(number * 31 + i / 7);
  return data;
}

LetterHead tagged(std::uint64_t number) {
  return {LetterKind::tagged, 0, 7, number, 0};
}

TEST(LetterBox, DeliversALetterOfNoBytes) {
  const std::string run = fresh_run();
  LetterBox sender(run, 3), receiver(run, 5);
  EXPECT_TRUE(sender.send(5, tagged(1), {}, nullptr));
  const auto letters = receiver.receive();
  ASSERT_EQ(letters.size(), 1U);
  EXPECT_EQ(letters[0].head.from, 3);
  EXPECT_EQ(letters[0].head.tag, 7U);
  EXPECT_TRUE(letters[0].data.empty());
}

TEST(LetterBox, LosesNothingAndKeepsTheOrderThoughTheReceiversQueueIsFull) {
  const std::string run = fresh_run();
  LetterBox sender(run, 0), receiver(run, 1);
  constexpr std::uint64_t count = 300;
  const auto length = [](std::uint64_t number) { return number % 50 == 0 ? 200'000 : number * 13 % 1000; };
  std::uint64_t left_at_once = 0;
  for (std::uint64_t number = 0; number < count; ++number)
    if (sender.send(1, tagged(number), content(number, length(number)), &sender)) ++left_at_once;
  // The system holds far less than 1.2 MB for one receiver: the rest has to wait for it.
  ASSERT_LT(left_at_once, count);
  EXPECT_TRUE(sender.has_to_push(1));
  std::uint64_t told = 0, next = 0;
  while (next < count) {
    for (const Letter& letter : receiver.receive()) {
      EXPECT_EQ(letter.head.number, next);
      EXPECT_EQ(letter.data, content(next, length(next))) << next;
      ++next;
    }
    told += sender.push().size();
  }
  EXPECT_EQ(told, count - left_at_once);
  EXPECT_FALSE(sender.has_to_push());
}

TEST(LetterBox, ReachesOthersWhileOneRankEmptiesItsBoxNever) {
  const std::string run = fresh_run();
  LetterBox sender(run, 0), idle(run, 1), other(run, 2);
  for (std::uint64_t number = 0; number < 500; ++number)
    sender.send(1, tagged(number), content(number, 30'000), nullptr);  // 15 MB: more than sockets hold
  ASSERT_TRUE(sender.has_to_push(1));
  for (std::uint64_t number = 0; number < 100; ++number) {
    const bool has_left = sender.send(2, tagged(number), content(number, 30'000), nullptr);
    EXPECT_TRUE(has_left) << number;
    ASSERT_EQ(other.receive().size(), 1U) << number;
  }
}

TEST(LetterBox, AwaitsRoomInTheReceiversQueue) {
  const std::string run = fresh_run();
  LetterBox sender(run, 0);
  Pipe ready;
  Forked receiver([&] {
    LetterBox box(run, 1);
    ready.put("ready");
    std::uint64_t next = 0;
    while (true) {
      for (const Letter& letter : box.receive())
        if (letter.head.number != next++) return 1;
      if (next == 200) return 0;
      box.await(long_enough);
    }
  });
  ready.get();
  for (std::uint64_t number = 0; number < 200; ++number)
    sender.send(1, tagged(number), content(number, 50'000), nullptr);
  // Sleeps for minutes unless the system wakes it when there is room: the test's own time limit would say so.
  while (sender.has_to_push()) {
    sender.await(long_enough);
    sender.push();
  }
  EXPECT_EQ(receiver.result(), 0);
}

TEST(LetterBox, DropsLettersToARankThatIsGone) {
  const std::string run = fresh_run();
  LetterBox sender(run, 0);
  EXPECT_TRUE(sender.send(1, tagged(0), content(0, 100'000), nullptr)) << "there never was one";
  auto receiver = std::make_unique<LetterBox>(run, 1);
  for (std::uint64_t number = 0; number < 100; ++number)
    sender.send(1, tagged(number), content(number, 50'000), &sender);
  const bool was_blocked = sender.has_to_push();
  ASSERT_TRUE(was_blocked);
  receiver.reset();
  EXPECT_FALSE(sender.push().empty());
  EXPECT_FALSE(sender.has_to_push());
}

TEST(LetterBox, KeepsRunsApart) {
  LetterBox sender(fresh_run(), 0), receiver(fresh_run(), 1);
  sender.send(1, tagged(0), content(0, 10), nullptr);
  EXPECT_TRUE(receiver.receive().empty());
}

}  // namespace
}  // namespace morgana::mpi::emulated
