// The parts of LibraryMessenger, each without the protocol above it. Times by hand, in microseconds.
#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/messaging/host_copies.h"
#include "emulator/messaging/library_costs.h"
#include "emulator/messaging/library_message.h"
#include "emulator/messaging/machine.h"
#include "emulator/messaging/socket_copies.h"
#include "emulator/messaging/unexpected_buffers.h"

namespace morgana {
namespace {

constexpr SimTime us(std::int64_t count) {
  return SimTime::from_ps(count * 1'000'000);
}
constexpr ByteCost us_per_byte = ByteCost::from_fs(1'000'000'000);

/// Ranks 0 to 3 on one host, without a network.
struct LibraryParts : testing::Test, HostCopyListener {
  LibraryParts() {
    machine.host_of.assign(4, HostId{0});
    machine.messages.copy_per_byte = us_per_byte;
    machine.messages.send_per_byte = us_per_byte;
    machine.messages.eager_limit = Bytes(10);
  }
  std::uint32_t message(std::size_t source, std::size_t receiver, std::int64_t bytes) {
    LibraryMessage made;
    made.send.envelope.source = Rank(source);
    made.send.receiver = Rank(receiver);
    made.send.bytes = made.left = Bytes(bytes);
    return messages.add(made);
  }
  void copied_within_host(std::uint32_t number) override {
    copied.emplace_back(number, machine.events->now());
  }
  void finish() {
    while (!machine.events->empty()) machine.events->handle_next();
  }

  Machine machine;
  LibraryMessageTable messages;
  std::vector<std::pair<std::uint32_t, SimTime>> copied;
};

TEST_F(LibraryParts, CopiesToOneReceiverFollowEachOtherThoseToOthersDoNot) {
  HostCopies copies(machine, messages, *this);
  const std::uint32_t first = message(0, 1, 30), second = message(2, 1, 20), other = message(0, 3, 40);
  copies.copy(first);
  copies.copy(second);
  copies.copy(other);
  finish();
  EXPECT_EQ(copied, (std::vector<std::pair<std::uint32_t, SimTime>>{
                        {first, us(30)}, {other, us(40)}, {second, us(30 + 20)}}));
}

TEST_F(LibraryParts, ARanksMessagesAreCopiedIntoItsSocketOneAfterTheOther) {
  SocketCopies sockets(machine);
  const auto first = sockets.copy_in(messages[message(0, 1, 30)]);
  EXPECT_EQ(std::pair(first.first_piece, first.all), std::pair(us(10), us(30)));
  const auto second = sockets.copy_in(messages[message(0, 2, 5)]);
  EXPECT_EQ(std::pair(second.first_piece, second.all), std::pair(us(30 + 5), us(30 + 5)));
  EXPECT_EQ(sockets.copy_in(messages[message(1, 2, 5)]).all, us(5));
}

TEST_F(LibraryParts, AnUnexpectedBufferHoldsNoMoreThanItsSpace) {
  machine.messages.unexpected_buffer = Bytes(100);
  const LibraryCosts costs(machine);
  UnexpectedBuffers buffers(4, costs, messages);
  const std::uint32_t first = message(0, 1, 60), second = message(0, 1, 60), other = message(0, 2, 100);
  EXPECT_TRUE(buffers.take(messages[first], Bytes(60)));
  EXPECT_FALSE(buffers.take(messages[second], Bytes(41)));
  EXPECT_TRUE(buffers.take(messages[other], Bytes(100)));
  buffers.free(messages[first]);
  EXPECT_TRUE(buffers.take(messages[second], Bytes(60)));
  EXPECT_EQ(messages.rare_of(messages[first]).kept, Bytes());
  EXPECT_EQ(messages.rare_of(messages[second]).kept, Bytes(60));
}

TEST_F(LibraryParts, ABufferWithoutBoundCountsNothing) {
  const LibraryCosts costs(machine);
  UnexpectedBuffers buffers(4, costs, messages);
  const std::uint32_t number = message(0, 1, 60);
  EXPECT_TRUE(buffers.take(messages[number], Bytes(std::int64_t{1} << 39)));
  EXPECT_EQ(messages[number].rare, LibraryMessage::nothing);
}

TEST_F(LibraryParts, AReadySendNeedsNoRendezvous) {
  const LibraryCosts costs(machine);
  EXPECT_FALSE(costs.goes_by_rendezvous(false, Bytes(10), SendMode::standard));
  EXPECT_TRUE(costs.goes_by_rendezvous(false, Bytes(11), SendMode::standard));
  EXPECT_FALSE(costs.goes_by_rendezvous(false, Bytes(11), SendMode::ready));
}

// Handed over at 10, there at 50, of which it waited 15 for a timer; its receive came at 30, and late.
TEST_F(LibraryParts, WhatAMessageWaitedForIsItsOrigin) {
  LibraryMessage& sent = messages[message(0, 1, 60)];
  sent.send.ready = us(5);
  sent.shipped = us(10);
  sent.came = us(50);
  messages.note_timer_wait(sent, true, us(15));
  messages.note_timer_wait(sent, true, us(10));  // at the same time
  Origin origin = messages.origin(sent, us(60));
  EXPECT_EQ(origin.by, Rank{0});
  EXPECT_EQ(origin.wire, us(50 - 10 - 15));
  sent.receiver_was_late = true;
  sent.asked = us(30);
  origin = messages.origin(sent, us(60));
  EXPECT_EQ(origin.by, Rank{1});
  EXPECT_EQ(origin.wire, us(50 - 30 - 15));
}

}  // namespace
}  // namespace morgana
