#include "pvmshim/agent/room_survey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace morgana {
namespace {

using namespace std::chrono_literals;
using testing::Eq;
using testing::Optional;

constexpr std::size_t agents = 2;

/// Rank 0's memory is full; all others, on another machine, wait for the emulator.
class RoomSurveyOfTwo : public testing::Test {
 protected:
  std::uint64_t ask() {
    survey_.question_due(now_, moves_, agents);
    return survey_.question_due(now_ += RoomSurvey::stillness, moves_, agents).value_or(0);
  }
  static RoomReply full(std::uint64_t question) { return {question, {true, "rank 0 is full"}, 3, 5}; }
  static RoomReply waiting(std::uint64_t question) { return {question, {true, ""}, 5, 3}; }
  auto outcome() const { return survey_.why_stuck(agents, moves_); }

  RoomSurvey survey_;
  RoomSurvey::Clock::time_point now_ = RoomSurvey::Clock::now();
  std::uint64_t moves_ = 7;
};

TEST_F(RoomSurveyOfTwo, AsksOnceAllHasBeenStillAndThenEachSecond) {
  EXPECT_EQ(survey_.question_due(now_, 1, 0), std::nullopt);
  EXPECT_EQ(survey_.question_due(now_ + 999ms, 1, 0), std::nullopt);
  EXPECT_EQ(survey_.question_due(now_ + 1000ms, 2, 0), std::nullopt) << "somebody has said something";
  EXPECT_EQ(survey_.question_due(now_ + 1999ms, 2, 0), std::nullopt);
  EXPECT_THAT(survey_.question_due(now_ + 2000ms, 2, 0), Optional(1));
  EXPECT_EQ(survey_.question_due(now_ + 2999ms, 2, 0), std::nullopt);
  EXPECT_THAT(survey_.question_due(now_ + 3000ms, 2, 0), Optional(2));
}

TEST_F(RoomSurveyOfTwo, SaysWhyNothingGoesOn) {
  const std::uint64_t question = ask();
  survey_.take(0, full(question));
  EXPECT_EQ(outcome(), std::nullopt) << "one has not replied";
  survey_.take(1, waiting(question));
  EXPECT_THAT(outcome(), Optional(Eq("rank 0 is full")));
}

TEST_F(RoomSurveyOfTwo, KnowsNothingWhileAnyRankRuns) {
  const std::uint64_t question = ask();
  survey_.take(0, full(question));
  RoomReply runs = waiting(question);
  runs.rest.all = false;
  survey_.take(1, runs);
  EXPECT_EQ(outcome(), std::nullopt);
}

// The second agent's ranks have read one more, and rank 0 hears of it soon.
TEST_F(RoomSurveyOfTwo, WaitsForWhatIsOnItsWay) {
  const std::uint64_t question = ask();
  survey_.take(0, full(question));
  RoomReply told = waiting(question);
  ++told.told;
  survey_.take(1, told);
  EXPECT_EQ(outcome(), std::nullopt);
}

TEST_F(RoomSurveyOfTwo, CountsNoReplyFromBeforeTheLastMove) {
  const std::uint64_t question = ask();
  survey_.take(0, full(question));
  survey_.take(1, waiting(question));
  ++moves_;
  EXPECT_EQ(outcome(), std::nullopt);
  survey_.question_due(now_, moves_, agents);
  EXPECT_EQ(outcome(), std::nullopt) << "nor later, when that is known";
}

TEST_F(RoomSurveyOfTwo, WaitsForAllReplies) {
  const std::uint64_t question = ask();
  survey_.take(0, full(question));
  EXPECT_EQ(survey_.question_due(now_ += 10 * RoomSurvey::stillness, moves_, agents), std::nullopt);
  survey_.take(1, waiting(question));
  EXPECT_THAT(outcome(), Optional(Eq("rank 0 is full")));
}

TEST_F(RoomSurveyOfTwo, CountsNoReplyToAnEarlierQuestion) {
  const std::uint64_t before = ask();
  survey_.take(0, full(before));
  ++moves_;
  const std::uint64_t question = ask();
  ASSERT_NE(question, before);
  survey_.take(1, waiting(question));
  EXPECT_EQ(outcome(), std::nullopt);
  survey_.take(0, full(before));
  EXPECT_EQ(outcome(), std::nullopt);
}

TEST_F(RoomSurveyOfTwo, FindsNothingWhereNoMemoryIsFull) {
  const std::uint64_t question = ask();
  survey_.take(0, {question, {true, ""}, 3, 5});
  survey_.take(1, waiting(question));
  EXPECT_EQ(outcome(), std::nullopt);
}

TEST(RoomReply, ComesAsItWasSaid) {
  const RoomReply reply = decode_room_reply(encode({4, {true, "full"}, 1, 2}));
  EXPECT_EQ(reply.question, 4U);
  EXPECT_TRUE(reply.rest.all);
  EXPECT_EQ(reply.rest.out_of_room, "full");
  EXPECT_EQ(reply.told, 1U);
  EXPECT_EQ(reply.heard, 2U);
  EXPECT_THROW(decode_room_reply({}), MalformedFrame);
}

}  // namespace
}  // namespace morgana
