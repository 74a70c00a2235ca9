#include "pvmshim/mpi/emulate/foreseen_matches.h"

#include <gtest/gtest.h>

#include <thread>

#include "tests/pvmshim/channel_support.h"

namespace morgana::mpi::emulated {
namespace {

/// Rank 0 sends, rank 1 receives; both ends in this process.
class Foreseen : public ::testing::Test {
 protected:
  static ChannelSettings settings(bool certain) {
    ChannelSettings settings = morgana::testing::settings_for(2);
    settings.messages_are_certain = certain ? 1 : 0;
    return settings;
  }

  /// @return the message's payload
  std::uint64_t send(int tag, int bytes = 8, Context context = world_context) {
    Operation send;
    send.kind = OperationKind::send;
    send.peer = Rank{1};
    send.tag = Tag{tag};
    send.context = context;
    if (bytes > 0) send.payload = sender_.allocate(Bytes(bytes), 1);
    return sends_.announce(send);
  }
  RequestId receive(Rank source, Tag tag, Context context = world_context) {
    Operation receive;
    receive.kind = OperationKind::receive;
    receive.peer = source;
    receive.tag = tag;
    receive.context = context;
    receive.request = RequestId{++requests_};
    receives_.started(receive);
    return receive.request;
  }
  RequestId receive(int tag) { return receive(Rank{0}, Tag{tag}); }
  void complete(RequestId request, int tag) {
    Completed completed;
    completed.request = request;
    completed.source = Rank{0};
    completed.tag = Tag{tag};
    receives_.completed(completed);
  }

  EmulatorChannel emulator_{settings(true)};
  RankChannel sender_{emulator_.path(), Rank{0}}, receiver_{emulator_.path(), Rank{1}};
  ForeseenMatches sends_{sender_}, receives_{receiver_};
  std::uint64_t requests_ = 0;
};

TEST_F(Foreseen, GivesMessagesOfOneTagInTheOrderInWhichTheyWereSent) {
  const std::uint64_t first = send(5, 8), other = send(6, 24), second = send(5, 16);
  const RequestId a = receive(5), b = receive(5), c = receive(6);
  ASSERT_TRUE(receives_.foresees(a) && receives_.foresees(b) && receives_.foresees(c));
  EXPECT_EQ(receives_.take(b).payload, second);  // whatever is waited for first
  EXPECT_EQ(receives_.take(c).payload, other);
  const Completed taken = receives_.take(a);
  EXPECT_EQ(taken.payload, first);
  EXPECT_EQ(taken.bytes, Bytes(8));
  EXPECT_EQ(taken.source, Rank{0});
  EXPECT_EQ(taken.tag, Tag{5});
}

TEST_F(Foreseen, GivesReceivesStartedBeforeTheirMessagesInTheOrderOfStarting) {
  const RequestId a = receive(5), b = receive(5);
  const std::uint64_t first = send(5), second = send(5);
  EXPECT_EQ(receives_.take(b).payload, second);
  EXPECT_EQ(receives_.take(a).payload, first);
}

TEST_F(Foreseen, SleepsUntilTheMessageIsSent) {
  const RequestId request = receive(5);
  std::uint64_t payload = 0;
  std::thread later([&] { payload = send(5, 0); });
  const Completed taken = receives_.take(request);
  later.join();
  EXPECT_EQ(taken.payload, payload);
  EXPECT_EQ(taken.bytes, Bytes(0));
}

TEST_F(Foreseen, LeavesAnySenderAndAnyTagToTheEmulator) {
  EXPECT_FALSE(receives_.foresees(receive(any_rank, Tag{5})));
  EXPECT_FALSE(receives_.foresees(receive(Rank{0}, any_tag, Context{7})));
}

TEST_F(Foreseen, LeavesWhatIsStartedAfterAWildcardToTheEmulatorUntilThatHasCompleted) {
  const RequestId before = receive(5), any = receive(any_rank, any_tag), after = receive(5);
  EXPECT_TRUE(receives_.foresees(before));
  EXPECT_FALSE(receives_.foresees(after));
  EXPECT_TRUE(receives_.foresees(receive(Rank{0}, Tag{5}, Context{7})));  // another context
  const std::uint64_t first = send(5);
  send(5);
  send(5);
  const std::uint64_t fourth = send(5);
  EXPECT_EQ(receives_.take(before).payload, first);
  complete(any, 5);
  EXPECT_FALSE(receives_.foresees(receive(6)));  // `after` is still pending
  complete(after, 5);
  send(6);
  complete(RequestId{requests_}, 6);
  const RequestId again = receive(5);
  ASSERT_TRUE(receives_.foresees(again));
  EXPECT_EQ(receives_.take(again).payload, fourth);
}

TEST_F(Foreseen, PassesOverAMessageThatAProbeHasSetAside) {
  send(5);
  const std::uint64_t second = send(5);
  Completed found;
  found.source = Rank{0};
  found.tag = Tag{5};
  receives_.set_aside(world_context, found);
  EXPECT_EQ(receives_.take(receive(5)).payload, second);
}

// As a test does that finds it complete.
TEST_F(Foreseen, LetsTheEmulatorCompleteAForeseenReceive) {
  const RequestId request = receive(5);
  send(5);
  const std::uint64_t second = send(5);
  complete(request, 5);
  EXPECT_FALSE(receives_.foresees(request));
  EXPECT_EQ(receives_.take(receive(5)).payload, second);
}

TEST_F(Foreseen, ForeseesNothingWhereMessagesAreNotCertain) {
  EmulatorChannel emulator(settings(false));
  RankChannel channel(emulator.path(), Rank{1});
  ForeseenMatches matches(channel);
  Operation receive;
  receive.peer = Rank{0};
  receive.tag = Tag{5};
  receive.request = RequestId{1};
  matches.started(receive);
  EXPECT_FALSE(matches.foresees(RequestId{1}));
}

}  // namespace
}  // namespace morgana::mpi::emulated
