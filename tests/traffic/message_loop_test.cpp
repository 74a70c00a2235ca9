#include "emulator/traffic/message_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/network/logp/logp_network.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"

namespace morgana {
namespace {

using namespace literals;

/// 100 bytes take 99 ns at each interface and 500 ns between them; the next may follow after 100 ns.
constexpr LogpParameters of_message_loop{500_ns, 1_ns, ByteCost::from_fs(1'000'000)};
constexpr std::size_t sixteen = 16;

MessageLoopResult loop(TrafficPattern::Kind pattern, MessageLoopSettings settings) {
  const NetworkUnderTest network{[](EventQueue& events, std::uint64_t) {
                                   return std::make_unique<LogpNetwork>(events, sixteen, of_message_loop);
                                 },
                                 sixteen, 1};
  settings.packet = Bytes(100);
  settings.messages = 2'000;
  settings.warm_up = 500;
  return run_messages(network, Destinations({.kind = pattern}, sixteen, 1), settings);
}

constexpr auto ring = TrafficPattern::Kind::neighbour;

// Ten packets of 100 bytes: the last one leaves 900 ns after the first, and each takes 599 ns.
TEST(MessageLoop, MessagesThatDoNotMeetTakeWhatTheyTakeAlone) {
  const MessageLoopResult result = loop(ring, {.sizes = MessageSizes(Bytes(1'000)), .outstanding = 1});
  EXPECT_EQ(result.measured, 2'000u);
  EXPECT_EQ(result.unfinished + result.lost, 0u);
  ASSERT_EQ(result.classes.size(), 1u);
  EXPECT_EQ(result.classes[0].up_to, Bytes(1'000));
  for (const double share : {0.0, 0.5, 1.0}) {
    EXPECT_DOUBLE_EQ(result.all.ns.quantile(share), 1'499);
    EXPECT_DOUBLE_EQ(result.all.slowdowns.quantile(share), 1);
  }
  EXPECT_NEAR(result.delivered, 1'000.0 / 1'499, 0.01);
}

TEST(MessageLoop, AloneSlowdownsAreOneForEverySize) {
  const MessageSizes sizes({{1, 0}, {100, 0.3}, {5'000, 1}});
  const MessageLoopResult result = loop(ring, {.sizes = sizes, .outstanding = 1});
  EXPECT_GE(result.classes.size(), 2u);
  EXPECT_NEAR(result.all.slowdowns.quantile(0), 1, 1e-6);
  EXPECT_NEAR(result.all.slowdowns.quantile(1), 1, 1e-6);
}

// The request's 1,499 ns and a packet of 100 bytes back.
TEST(MessageLoop, ARequestIsCompleteWithItsReply) {
  const MessageLoopResult result =
      loop(ring, {.sizes = MessageSizes(Bytes(1'000)), .outstanding = 1, .reply = Bytes(100)});
  EXPECT_DOUBLE_EQ(result.all.ns.median(), 1'499 + 599);
  EXPECT_DOUBLE_EQ(result.all.slowdowns.median(), 1);
  EXPECT_NEAR(result.delivered, 1'100.0 / 2'098, 0.01);
}

// Two messages of 10,000 bytes take turns on an interface that sends a byte a nanosecond; alone, one takes
// 10,499 ns.
TEST(MessageLoop, MessagesOfAHostShareItsInterface) {
  const MessageLoopResult result = loop(ring, {.sizes = MessageSizes(Bytes(10'000)), .outstanding = 2});
  EXPECT_GT(result.all.slowdowns.median(), 1.75);
  EXPECT_LT(result.all.slowdowns.median(), 2.05);
  EXPECT_NEAR(result.delivered, 1, 0.03);
}

// A short message behind a long one does not wait for its end.
TEST(MessageLoop, ShortMessagesPassLongOnes) {
  const MessageSizes sizes({{100, 0}, {100, 0.9}, {100'000, 0.9}, {100'000, 1}});
  const MessageLoopResult result = loop(ring, {.sizes = sizes, .load = 0.5});
  ASSERT_EQ(result.classes.size(), 2u);
  EXPECT_LT(result.classes[0].ns.quantile(0.95), 10'000) << "a long one takes 100,000 ns";
  EXPECT_GT(result.classes[0].slowdowns.quantile(0.95), 1.2);
}

// 20 times 2,500 messages, one a nanosecond from each host, are 3,125 ns; the first ones come after 599.
TEST(MessageLoop, GivesUpALoadThatTheNetworkDoesNotCarry) {
  const MessageLoopResult result = loop(ring, {.sizes = MessageSizes(Bytes(100)), .load = 100});
  EXPECT_GT(result.unfinished, 0u);
  EXPECT_TRUE(result.overloaded);
  EXPECT_EQ(result.all.unfinished, result.unfinished);
  EXPECT_EQ(result.all.ns.summary().count() + result.unfinished, result.measured);
  EXPECT_NEAR(result.delivered, (3'125.0 - 599) / 3'125, 0.05);
  EXPECT_THROW(loop(TrafficPattern::Kind::permutation, {.load = 1}), Error);
}

/// Loses every tenth unit.
class Losing : public Network, private EventHandler {
 public:
  explicit Losing(EventQueue& events) : events_(events) {}
  void inject(const Unit& unit) override {
    units_.push_back(unit);
    events_.schedule(events_.now() + 10_ns, *this, units_.size() - 1);
  }
  Bytes largest_unit() const override { return Bytes(1'000); }

 private:
  void handle(std::uint64_t number) override {
    const Unit unit = units_[number];
    listener_->unit_departed(unit.id, unit.from);
    if (number % 10 == 9)
      listener_->unit_lost(unit.id);
    else
      listener_->unit_delivered(unit.id, unit.to);
  }
  EventQueue& events_;
  std::vector<Unit> units_;
};

TEST(MessageLoop, CountsMessagesThatLostAPacket) {
  const NetworkUnderTest network{
      [](EventQueue& events, std::uint64_t) { return std::make_unique<Losing>(events); }, sixteen, 1};
  const MessageLoopResult result = run_messages(network, Destinations({.kind = ring}, sixteen, 1),
                                                {.sizes = MessageSizes(Bytes(200)),
                                                 .outstanding = 1,
                                                 .packet = Bytes(100),
                                                 .warm_up = 100,
                                                 .messages = 1'000});
  EXPECT_EQ(result.measured, 1'000u);
  EXPECT_NEAR(static_cast<double>(result.lost), 200, 40);
  EXPECT_EQ(result.all.ns.summary().count(), result.measured - result.lost);
}

/// Loses at once what host 3 sends, and carries all else in a microsecond.
class CutOff : public Network, private EventHandler {
 public:
  explicit CutOff(EventQueue& events) : events_(events) {}
  void inject(const Unit& unit) override {
    units_.push_back(unit);
    events_.schedule(events_.now() + (unit.from == PortId{3} ? SimTime() : 1'000_ns), *this,
                     units_.size() - 1);
  }
  Bytes largest_unit() const override { return Bytes(1'000); }

 private:
  void handle(std::uint64_t number) override {
    const Unit unit = units_[number];
    listener_->unit_departed(unit.id, unit.from);
    if (unit.from == PortId{3})
      listener_->unit_lost(unit.id);
    else
      listener_->unit_delivered(unit.id, unit.to);
  }
  EventQueue& events_;
  std::vector<Unit> units_;
};

// A host that loses all it sends waits as long as a message takes, so it has the share of one of 16 hosts.
TEST(MessageLoop, AHostThatIsCutOffDoesNotTakeAClosedLoop) {
  const NetworkUnderTest network{
      [](EventQueue& events, std::uint64_t) { return std::make_unique<CutOff>(events); }, sixteen, 1};
  const MessageLoopResult result = run_messages(network, Destinations({.kind = ring}, sixteen, 1),
                                                {.sizes = MessageSizes(Bytes(100)),
                                                 .outstanding = 1,
                                                 .packet = Bytes(100),
                                                 .warm_up = 100,
                                                 .messages = 1'600});
  EXPECT_EQ(result.unfinished, 0u);
  EXPECT_EQ(result.lost_hosts, 1u);
  EXPECT_NEAR(static_cast<double>(result.lost), 100, 3);
  EXPECT_EQ(result.all.lost, result.lost);
}

// One message in a hundred takes a thousand times as long as the others, which go on meanwhile.
TEST(MessageLoop, AClosedLoopWaitsForItsLongestMessages) {
  const MessageSizes sizes({{100, 0}, {100, 0.99}, {1'000'000, 0.99}, {1'000'000, 1}});
  const MessageLoopResult result = loop(ring, {.sizes = sizes, .outstanding = 1});
  EXPECT_EQ(result.unfinished, 0u);
  EXPECT_GT(result.classes.back().ns.summary().count(), 5u);
}

// The same in an open loop of a fifth of what hosts can send.
TEST(MessageLoop, AnOpenLoopWaitsForItsLongestMessages) {
  const MessageSizes sizes({{100, 0}, {100, 0.99}, {1'000'000, 0.99}, {1'000'000, 1}});
  const MessageLoopResult result = loop(ring, {.sizes = sizes, .load = 0.2});
  EXPECT_EQ(result.unfinished, 0u);
  EXPECT_FALSE(result.overloaded);
}

double share_up_to(const MessageSizes& sizes, std::int64_t bytes) {
  RandomStream random(1, "sizes");
  constexpr int draws = 100'000;
  int below = 0;
  for (int n = 0; n < draws; ++n) below += sizes.draw(random).count() <= bytes ? 1 : 0;
  return static_cast<double>(below) / draws;
}

// The means are sums over the segments, each its share times its middle.
TEST(MessageSizes, AreThoseOfThePublishedDistributions) {
  EXPECT_NEAR(MessageSizes::named("web-search").mean(), 1'711'250, 1);
  EXPECT_NEAR(MessageSizes::named("data-mining").mean(), 12'658'198.6, 1);
  EXPECT_NEAR(MessageSizes::named("hadoop").mean(), 120'420.75, 1);
  EXPECT_NEAR(share_up_to(MessageSizes::named("web-search"), 80'000), 0.53, 0.005);
  EXPECT_NEAR(share_up_to(MessageSizes::named("data-mining"), 1'100), 0.5, 0.005);
  EXPECT_NEAR(share_up_to(MessageSizes::named("hadoop"), 120'000), 0.9, 0.005);
  EXPECT_NEAR(share_up_to(MessageSizes::named("hadoop"), 40'000), 0.77, 0.005) << "between two points";
  EXPECT_EQ(share_up_to(MessageSizes(Bytes(64)), 63), 0);
}

std::string refused_sizes(const std::string& text) {
  const testing::TemporaryFolder folder;
  const std::string name = folder.path() / "sizes.txt";
  std::ofstream(name) << text;
  try {
    MessageSizes::named(name);
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

TEST(MessageSizes, AreReadFromAFile) {
  EXPECT_EQ(refused_sizes("# bytes, per cent\n0 0\n64 50 # half\n\n1000 100\n"), "no error");
  expect_message(refused_sizes(""), "sizes.txt");
  expect_message(refused_sizes("0 0\n64 fifty\n"), {"sizes.txt:2", "\"64 fifty\""});
  expect_message(refused_sizes("0 0\n64 50\n32 100\n"),
                 {"sizes.txt:3", "32 bytes", "100 %", "64 bytes", "50 %"});
  expect_message(refused_sizes("0 0\n64 50\n"), {"sizes.txt", "50 %", "100 %"});
  expect_message(refused_sizes("0 100\n"), {"sizes.txt", "0 bytes"});
  EXPECT_THROW(MessageSizes::named("/tmp"), Error) << "a directory";
  expect_message(refused_sizes("64 150\n"), {"sizes.txt:1", "100 %"});
  expect_message(refused_sizes("-5 100\n"), {"sizes.txt:1", "-5 bytes"});
  expect_message(refused_sizes("64 50\n70 40\n"), {"sizes.txt:2", "70 bytes", "40 %", "64 bytes"});
  try {
    MessageSizes::named("no-such-sizes");
    FAIL();
  } catch (const Error& error) {
    expect_message(error.what(), {"web-search", "data-mining"});
  }
}

}  // namespace
}  // namespace morgana
