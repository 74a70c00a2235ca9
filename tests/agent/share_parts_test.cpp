// What an agent keeps of its ranks, each by itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>
#include <vector>

#include "pvmshim/agent/awaited_clocks.h"
#include "pvmshim/agent/payload_sender.h"
#include "pvmshim/agent/rank_places.h"
#include "pvmshim/agent/replies.h"
#include "pvmshim/agent/said_operations.h"
#include "pvmshim/agent/silence.h"
#include "pvmshim/agent/task_request.h"
#include "pvmshim/agent/waiting_answers.h"
#include "pvmshim/channel/marked_payload.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

TEST(RankPlaces, AreOfOneMachineOrElsewhere) {
  const RankPlaces places({1, 0, 1, 2}, 1);
  EXPECT_THAT(places.own(), ElementsAre(Rank{0}, Rank{2}));
  EXPECT_THAT(places.elsewhere(), ElementsAre(Rank{1}, Rank{3}));
  EXPECT_EQ(places.checked(2), Rank{2});
  for (const std::int32_t rank : {-1, 1, 3, 4}) EXPECT_THROW(places.checked(rank), MalformedFrame) << rank;
}

TEST(RankPlaces, AreGivenToTasksThatBegin) {
  RankPlaces places(std::vector<std::uint32_t>(3, RankPlaces::nowhere), 1);
  EXPECT_THAT(places.own(), IsEmpty());
  EXPECT_THAT(places.elsewhere(), IsEmpty());
  EXPECT_THROW(places.checked(1), MalformedFrame);
  places.place(1, 1);
  places.place(2, 0);
  EXPECT_FALSE(places.is_placed(Rank{0}));
  EXPECT_THAT(places.own(), ElementsAre(Rank{1}));
  EXPECT_THAT(places.elsewhere(), ElementsAre(Rank{2}));
  places.place(2, 1);  // it could not be started there
  EXPECT_EQ(places.checked(2), Rank{2});
  EXPECT_THROW(places.place(3, 0), MalformedFrame);
  EXPECT_THROW(places.place(-1, 0), MalformedFrame);
}

TEST(TaskRequests, ComeAsTheyWereSent) {
  TaskRequest request{TaskRequest::What::start, Rank{7}, -3, 1234, {}};
  request.task.id = 0x40007;
  request.task.parent = -23;
  request.task.host = 2;
  request.task.file = "spmd";
  request.task.folder = "/tmp";
  request.task.arguments = {"4", ""};
  request.task.variables = {"A=B"};
  request.task.output = Rank{1};
  const TaskRequest come = decode_task_request(encode(request));
  EXPECT_EQ(come.what, request.what);
  EXPECT_EQ(come.rank, request.rank);
  EXPECT_EQ(come.number, -3);
  EXPECT_EQ(come.process, 1234);
  EXPECT_EQ(come.task.rank, request.rank);
  EXPECT_EQ(come.task.id, request.task.id);
  EXPECT_EQ(come.task.parent, -23);
  EXPECT_EQ(come.task.host, 2U);
  EXPECT_EQ(come.task.file, "spmd");
  EXPECT_EQ(come.task.folder, "/tmp");
  EXPECT_EQ(come.task.arguments, request.task.arguments);
  EXPECT_EQ(come.task.variables, request.task.variables);
  EXPECT_EQ(come.task.output, Rank{1});
  EXPECT_FALSE(decode_task_request(encode(TaskRequest{})).task.output);

  const TaskReply reply = decode_task_reply(encode(TaskReply{-7, true, "no such file"}));
  EXPECT_EQ(reply.result, -7);
  EXPECT_TRUE(reply.ends_it);
  EXPECT_EQ(reply.why, "no such file");
}

TEST(TaskRequests, ThatMakeNoSenseAreRefused) {
  const std::vector<std::byte> whole = encode(TaskRequest{TaskRequest::What::start, Rank{1}, 0, 0, {}});
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(decode_task_request(std::span(whole).first(size)), MalformedFrame) << size;
  std::vector<std::byte> unknown = whole;
  unknown[0] = std::byte{99};
  EXPECT_THROW(decode_task_request(unknown), MalformedFrame);
}

TEST(SaidOperations, AreAtMostSoManyAheadOfTheEmulator) {
  SaidOperations said(2);
  constexpr Rank rank{1};
  for (std::uint64_t i = 0; i < most_untaken; ++i) {
    EXPECT_TRUE(said.may_say_more(rank));
    said.note_said(rank, OperationKind::send);
  }
  EXPECT_FALSE(said.may_say_more(rank));
  EXPECT_TRUE(said.may_say_more(Rank{0}));
  said.note_taken(rank, 1);
  EXPECT_TRUE(said.may_say_more(rank));
  EXPECT_THROW(said.note_taken(rank, most_untaken + 1), MalformedFrame);
  EXPECT_FALSE(said.has_exited(rank));
  said.note_said(rank, OperationKind::exit);
  EXPECT_TRUE(said.has_exited(rank));
}

TEST(Replies, AreTakenOnceAndInOrder) {
  Replies replies;
  replies.put(1, FrameKind::want, {});
  replies.put(0, FrameKind::accessed, {std::byte{7}});
  const auto taken = replies.take();
  ASSERT_EQ(taken.size(), 2U);
  EXPECT_EQ(taken[0].kind, FrameKind::want);
  EXPECT_EQ(taken[1].agent, 0U);
  EXPECT_EQ(taken[1].content.size(), 1U);
  EXPECT_THAT(replies.take(), IsEmpty());
}

TEST(AwaitedReplies, AreThoseOfTheAgentThatWasAsked) {
  AwaitedReply awaited;
  EXPECT_THROW(awaited.take(0, TaskReply{1, false, ""}), MalformedFrame);
  awaited.ask(1);
  EXPECT_THROW(awaited.take(0, TaskReply{1, false, ""}), MalformedFrame);
  EXPECT_FALSE(awaited.reply());
  awaited.take(1, TaskReply{2, false, ""});
  EXPECT_EQ(awaited.reply()->result, 2);
  EXPECT_THROW(awaited.take(1, TaskReply{3, false, ""}), MalformedFrame);
  EXPECT_EQ(awaited.reply()->result, 2);
  awaited.ask(0);
  EXPECT_FALSE(awaited.reply());
}

TEST(UnansweredConnections, HaveSomethingUnconfirmedAtManyLooksAndNothingComes) {
  constexpr auto step = UnansweredConnection::between_looks;
  constexpr int enough = UnansweredConnection::looks_to_wait;
  UnansweredConnection connection;
  std::chrono::milliseconds now = 5h;
  const auto look = [&](bool unconfirmed, std::chrono::milliseconds heard) {
    now += step;
    return connection.look(unconfirmed, heard, now);
  };
  // Idle for hours; then something is sent, and looked at before it can be confirmed.
  for (int i = 0; i < 2 * enough; ++i) EXPECT_FALSE(look(false, 1h));
  EXPECT_FALSE(look(true, 1h));
  EXPECT_FALSE(look(false, now));
  // Unconfirmed at each look, but each time something else.
  for (int i = 0; i < 2 * enough; ++i) EXPECT_FALSE(look(true, now));
  // This process was stopped: one look, however late.
  now += 1h;
  EXPECT_FALSE(look(true, now - 1h));
  EXPECT_FALSE(look(false, now));
  for (int i = 1; i < enough; ++i) EXPECT_FALSE(look(true, 1h)) << i;
  EXPECT_TRUE(look(true, 1h));
}

class AwaitedClocksOf : public testing::Test {
 protected:
  /// @param computed  of the rank by now
  std::chrono::nanoseconds report(std::optional<SimTime> computed) {
    return clocks_.report(
        1s, [&](Rank) { return computed; },
        [](Rank, SimTime from, SimTime to) { return std::chrono::nanoseconds((to - from).ps()); },
        [&](Rank, SimTime far) { told_.push_back(far); });
  }
  static SimTime ps(std::int64_t value) { return SimTime::from_ps(value); }

  AwaitedClocks clocks_;
  AwaitedClocks::Clock::time_point now_{1h};
  std::vector<SimTime> told_;
};

TEST_F(AwaitedClocksOf, ARankAreReportedOnce) {
  clocks_.await(Rank{3}, ps(100), now_);
  EXPECT_EQ(report(ps(40)), 60ns);
  EXPECT_THAT(told_, IsEmpty());
  EXPECT_EQ(report(ps(120)), 1s);
  EXPECT_THAT(told_, ElementsAre(ps(120)));
  report(ps(130));
  EXPECT_EQ(told_.size(), 1U);
}

// The engine waits until a rank has passed its next event's time: a report of that time itself would be the
// last, and the engine would wait on.
TEST_F(AwaitedClocksOf, ARankAreReportedOnceItHasPassedTheTime) {
  for (const std::int64_t until : {0, 100}) {
    told_.clear();
    clocks_.await(Rank{3}, ps(until), now_);
    EXPECT_EQ(report(ps(until)), 0ns);
    EXPECT_THAT(told_, IsEmpty());
    report(ps(until + 1));
    EXPECT_THAT(told_, ElementsAre(ps(until + 1)));
  }
}

TEST_F(AwaitedClocksOf, ARankThatHasSpokenAreNotReported) {
  clocks_.await(Rank{3}, ps(100), now_);
  EXPECT_EQ(report(std::nullopt), 1s);
  clocks_.has_spoken(Rank{3});
  report(ps(120));
  EXPECT_THAT(told_, IsEmpty());
}

TEST_F(AwaitedClocksOf, ARankHurryTheAgentForAWhileBeyondIt) {
  EXPECT_FALSE(clocks_.is_hurried(now_));
  clocks_.await(Rank{3}, ps(100), now_);
  EXPECT_TRUE(clocks_.is_hurried(now_ + 1h));
  clocks_.has_spoken(Rank{3});
  EXPECT_TRUE(clocks_.is_hurried(now_ + 19ms));
  EXPECT_FALSE(clocks_.is_hurried(now_ + 20ms));
}

TEST(MachinesOfContexts, AreThoseOfTheMembersElsewhere) {
  const RankPlaces places({0, 1, 2, 1}, 1);
  ContextMachines machines(places, 1, 4);
  EXPECT_THAT(machines.others_of(world_context), ElementsAre(0U, 2U, 3U));
  constexpr Context fresh{77};
  EXPECT_THAT(machines.others_of(fresh), IsEmpty());
  machines.note(fresh, {Rank{3}, Rank{2}, Rank{1}, Rank{-1}, Rank{4}});
  EXPECT_THAT(machines.others_of(fresh), ElementsAre(2U));
}

class AnswersThatWait : public testing::Test {
 protected:
  static Answer about(std::uint64_t payload) {
    Answer answer;
    answer.completed.emplace_back();
    answer.completed.back().payload = payload;
    return answer;
  }

  std::set<std::uint64_t> here_;
  std::vector<std::uint64_t> asked_;
  std::vector<std::uint64_t> given_;  ///< payloads
  bool fails_ = false;
  WaitingAnswers answers_{2,
                          {[this](std::uint64_t payload) { return here_.contains(payload); },
                           [this](std::uint64_t payload) { asked_.push_back(payload); },
                           [this](Rank, const Answer& answer) {
                             if (fails_) throw std::runtime_error("");
                             given_.push_back(answer.completed.empty() ? 0 : answer.completed[0].payload);
                           }}};
};

TEST_F(AnswersThatWait, ForNothingAreGivenAtOnce) {
  EXPECT_TRUE(answers_.add_or_give(Rank{0}, Answer()));
  EXPECT_THAT(given_, ElementsAre(0U));
  EXPECT_FALSE(answers_.any());
}

TEST_F(AnswersThatWait, ForAPayloadAskForItOnceAndAreGivenWithoutItsMark) {
  const std::uint64_t payload = marked(65, 5);
  EXPECT_FALSE(answers_.add_or_give(Rank{0}, about(payload)));
  EXPECT_FALSE(answers_.give_all());
  EXPECT_THAT(asked_, ElementsAre(payload));
  EXPECT_TRUE(answers_.any());
  here_.insert(payload);
  EXPECT_TRUE(answers_.give_all());
  EXPECT_THAT(given_, ElementsAre(65U));
  EXPECT_FALSE(answers_.any());
}

// What the emulator knew of when it answered counts, not what it learns later.
TEST_F(AnswersThatWait, ForMessagesAreGivenWhenThoseHaveCome) {
  answers_.expect(1, 2);
  answers_.add(Rank{0}, Answer());
  answers_.expect(1, 3);
  answers_.add(Rank{0}, Answer());
  answers_.came(1);
  answers_.came(0);
  EXPECT_FALSE(answers_.give_all());
  EXPECT_THAT(given_, IsEmpty());
  answers_.came(1);
  EXPECT_FALSE(answers_.give_all());
  EXPECT_EQ(given_.size(), 1U);
  answers_.came(1);
  EXPECT_TRUE(answers_.give_all());
  EXPECT_THROW(answers_.expect(2, 1), MalformedFrame);
  EXPECT_THROW(answers_.expect(-1, 1), MalformedFrame);
}

TEST_F(AnswersThatWait, AreNotThereIfGivingThemFails) {
  fails_ = true;
  EXPECT_THROW(answers_.add_or_give(Rank{0}, Answer()), std::runtime_error);
  EXPECT_FALSE(answers_.any());
  fails_ = false;
  EXPECT_TRUE(answers_.give_all());
  EXPECT_THAT(given_, IsEmpty());
}

}  // namespace
}  // namespace morgana
