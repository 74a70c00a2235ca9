// The parts of KernelMessenger, each without the protocol above it. Times by hand, in microseconds.
#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <utility>

#include "emulator/messaging/kernel/kernel_message.h"
#include "emulator/messaging/kernel/push_channels.h"
#include "emulator/messaging/kernel/push_pull_costs.h"
#include "emulator/messaging/kernel/pushed_buffers.h"

namespace morgana {
namespace {

constexpr SimTime kernel_us(std::int64_t count) {
  return SimTime::from_ps(count * 1'000'000);
}

KernelMessage from_to(std::size_t source, std::size_t receiver) {
  KernelMessage message;
  message.send.envelope.source = Rank(source);
  message.send.receiver = Rank(receiver);
  return message;
}

TEST(PushChannels, MessagesOfAPairAreNumberedAndHaveChannelsOfTheirOwn) {
  PushChannels channels;
  KernelMessage first = from_to(0, 1), second = from_to(0, 1), other = from_to(1, 0);
  channels.begin(first);
  channels.begin(second);
  channels.begin(other);
  EXPECT_EQ(std::pair(first.ordinal, second.ordinal), std::pair(std::uint64_t{0}, std::uint64_t{1}));
  EXPECT_EQ(other.ordinal, 0U);
  EXPECT_NE(first.channel, second.channel);
}

TEST(PushChannels, AChannelIsUsedAgainOnceItsPushesHaveEnded) {
  PushChannels channels;
  KernelMessage first = from_to(0, 1), second = from_to(0, 1);
  channels.begin(first);
  const std::uint32_t used = first.channel;
  channels.end(first);
  channels.end(first);  // has none any more
  EXPECT_EQ(first.channel, 0U);
  channels.begin(second);
  EXPECT_EQ(second.channel, used);
}

TEST(PushChannels, MessagesAreSeenInOrderButForThoseThatAreGivenUp) {
  PushChannels channels;
  KernelMessage messages[4] = {from_to(0, 1), from_to(0, 1), from_to(0, 1), from_to(0, 1)};
  for (KernelMessage& message : messages) channels.begin(message);
  EXPECT_FALSE(channels.is_next(messages[1]));
  channels.give_up(messages[1]);
  EXPECT_TRUE(channels.is_next(messages[0]));
  channels.see(messages[0]);
  EXPECT_TRUE(channels.is_next(messages[2]));
  channels.give_up(messages[2]);
  EXPECT_TRUE(channels.is_next(messages[3]));
}

TEST(PushedBuffers, AReceiverHasNoMoreThanItsSlots) {
  KernelMessageCounters counters;
  PushedBuffers buffers(2, 4, counters);
  KernelMessage first = from_to(0, 1), second = from_to(0, 1), elsewhere = from_to(1, 0);
  EXPECT_TRUE(buffers.take(first, 3));
  EXPECT_FALSE(buffers.take(second, 2));
  EXPECT_TRUE(buffers.take(elsewhere, 4));
  buffers.free(first);
  EXPECT_TRUE(buffers.take(second, 4));
  EXPECT_EQ(counters.slots, 4);
  EXPECT_EQ(counters.slots_taken, 8);
  EXPECT_EQ(counters.most_slots_taken, 4);
}

TEST(KernelMessageTable, CountsEachStateThatAPartyComesTo) {
  KernelMessageCounters counters;
  KernelMessageTable table(counters);
  KernelMessage& message = table[table.add()];
  table.enter(message, push_pull::Sender::registered);
  table.enter(message, push_pull::Sender::push1);
  EXPECT_EQ(counters.sender[1], 1);
  EXPECT_EQ(counters.sender[2], 1);
  EXPECT_THROW(table.enter(message, push_pull::Sender::idle), std::logic_error);
}

struct PushPullCost : testing::Test {
  PushPullCost() {
    layer.push = Bytes(100);
    layer.second_push = Bytes(300);
    layer.eager_limit = Bytes(400);
    layer.envelope = Bytes(10);
    layer.send_overhead = kernel_us(5);
    kernel.system_call = kernel_us(2);
    kernel.translate_page = kernel_us(8);
    kernel.launch = kernel_us(1);
  }
  MessageLayer layer;
  KernelMessages kernel;
  PushPullCosts costs{layer, kernel, Bytes(200)};
};

TEST_F(PushPullCost, WhatBothPushesBringIsOnePiece) {
  EXPECT_EQ(costs.pushes_of(false, Bytes(400)).first, Bytes(400));
  EXPECT_EQ(costs.pushes_of(false, Bytes(401)).first, Bytes(100));
  EXPECT_EQ(costs.pushes_of(false, Bytes(401)).second, Bytes(300));
}

// A page of 4096 bytes takes 8 us, a quarter of it a quarter of that; nothing needs no entry into the kernel.
TEST_F(PushPullCost, ATranslationGrowsWithTheSize) {
  EXPECT_EQ(costs.translation(Bytes(1024)), kernel_us(2 + 2));
  EXPECT_EQ(costs.translation(Bytes(0)), SimTime());
}

// Pushes of 100 and 300 bytes with envelopes of 10 take 1 and 2 units of 200. The first is launched before
// the call continues, the others with the translation of 4096 bytes behind it.
TEST_F(PushPullCost, ATranslationIsMaskedByThePushes) {
  Messenger::SendCost cost = costs.send_cost(false, Bytes(4096), SendMode::standard);
  EXPECT_EQ(cost.before, kernel_us(5 + 1));
  EXPECT_EQ(cost.after, kernel_us(2 + 2 + 8));
  kernel.translation = KernelMessages::Translation::first;
  cost = costs.send_cost(false, Bytes(4096), SendMode::standard);
  EXPECT_EQ(cost.before, kernel_us(5 + 1 + 2 + 8));
  EXPECT_EQ(cost.after, kernel_us(2));
}

TEST_F(PushPullCost, SlotsAreWhole) {
  EXPECT_EQ(costs.slots_for(Bytes(2048)), 1);
  EXPECT_EQ(costs.slots_for(Bytes(2049)), 2);
}

}  // namespace
}  // namespace morgana
