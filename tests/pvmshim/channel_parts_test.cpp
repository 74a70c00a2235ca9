// What the two ends of a rank's channel are made of, each by itself.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <vector>

#include "emulator/core/error.h"
#include "pvmshim/channel/emulator_channel.h"
#include "pvmshim/channel/leaving_messages.h"
#include "pvmshim/channel/mapped_channel.h"
#include "pvmshim/channel/rank_end.h"
#include "pvmshim/channel/stretch_clock.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;
using Rest = EmulatorChannel::Rest;

void compute_for(std::chrono::nanoseconds span) {
  const std::int64_t until = own_processor_ns() + span.count();
  while (own_processor_ns() < until) {
  }
}

class StretchClocks : public testing::Test {
 protected:
  static ChannelSettings settings(ComputeMode mode) {
    ChannelSettings all;
    all.compute = mode;
    return all;
  }
  ClockPage page_{};
};

TEST_F(StretchClocks, SumUpStretchesAndShowThem) {
  StretchClock clock(page_, settings(ComputeMode::measured));
  clock.calibrate();
  EXPECT_EQ(page_.stretch % 2, 0U);
  clock.leave();
  EXPECT_EQ(page_.stretch % 2, 1U);
  compute_for(2ms);
  clock.enter();
  EXPECT_EQ(page_.stretch % 2, 0U);
  const auto one = clock.sum();
  EXPECT_GT(one, 1ms);
  EXPECT_EQ(page_.computed_ns, one.count());
  compute_for(1ms);  // in the shim
  EXPECT_EQ(clock.sum(), one);
  clock.leave();
  compute_for(2ms);
  EXPECT_GT(clock.sum_by_now(), one + 1ms);
  EXPECT_EQ(clock.sum(), one);
  clock.enter();
  clock.begin_sum();
  EXPECT_EQ(clock.sum(), 0ns);
  EXPECT_EQ(page_.computed_ns, 0);
}

TEST_F(StretchClocks, GoOnWhereAnotherProgramHasEnded) {
  page_.computed_ns = 1'000;
  page_.stretch = 6;
  StretchClock clock(page_, settings(ComputeMode::measured));
  clock.go_on();
  EXPECT_EQ(clock.sum(), 1us);
  clock.leave();
  EXPECT_EQ(page_.stretch, 7U);
}

TEST_F(StretchClocks, ReadNoClockWhereNothingIsMeasured) {
  StretchClock clock(page_, settings(ComputeMode::none));
  clock.leave();
  compute_for(1ms);
  clock.enter();
  EXPECT_EQ(clock.sum(), 0ns);
  EXPECT_EQ(clock.sum_by_now(), 0ns);
  EXPECT_FALSE(clock.sum_in_passing());
  EXPECT_EQ(page_.stretch, 0U);
}

class MappedChannels : public testing::Test {
 protected:
  static ChannelSettings settings() {
    ChannelSettings all;
    all.ranks = 2;
    return all;
  }
  static std::string refusal(const std::string& path, Rank rank) {
    try {
      const MappedChannel mapped(path, rank);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }
  const std::vector<std::uint32_t> machines_{0, 1};
  EmulatorChannel emulator_{settings(), Bytes(1 << 20), {}, machines_};
};

TEST_F(MappedChannels, ShowWhatTheEmulatorHasWritten) {
  const MappedChannel mapped(emulator_.path(), Rank{1});
  EXPECT_EQ(mapped.header().settings.ranks, 2U);
  EXPECT_EQ(mapped.slot_of(Rank{1}).host, 1U);
  EXPECT_EQ(mapped.hosts(), (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(mapped.machines(), machines_);
  EXPECT_EQ(mapped.arenas() - reinterpret_cast<std::byte*>(&mapped.header()),
            static_cast<std::ptrdiff_t>(arenas_offset(2)));
}

TEST_F(MappedChannels, AreRefusedWhereTheyAreNone) {
  EXPECT_THAT(refusal("/dev/null", Rank{0}), testing::HasSubstr("no channel"));
  EXPECT_THAT(refusal("/proc/self/exe", Rank{0}), testing::HasSubstr("no channel"));
  EXPECT_THAT(refusal(emulator_.path(), Rank{2}), testing::HasSubstr("rank 2 attaches to a channel for 2"));
  EXPECT_THAT(refusal(emulator_.path(), Rank{-1}), testing::HasSubstr("rank -1"));
}

TEST_F(MappedChannels, WithAMachineThatIsNoneAreRefused) {
  const MappedChannel mapped(emulator_.path(), Rank{0});
  mapped.slot_of(Rank{1}).machine = 2;
  EXPECT_THROW(mapped.machines(), Error);
}

class MessagesLeftToTheAgent : public testing::Test {
 protected:
  bool look(bool any) {
    return look_for_left(flag_, [any] { return any; });
  }
  std::atomic<std::uint32_t> flag_{0};
};

TEST_F(MessagesLeftToTheAgent, RingItOnceForManyThatFollowEachOther) {
  EXPECT_FALSE(look(true));  // nobody has rung
  EXPECT_TRUE(leave_to_agent(flag_));
  EXPECT_FALSE(leave_to_agent(flag_));
  EXPECT_TRUE(look(true));
  EXPECT_FALSE(leave_to_agent(flag_));  // it looks again, unasked
  EXPECT_TRUE(look(true));
  EXPECT_FALSE(leave_to_agent(flag_));
  EXPECT_FALSE(look(false));
  EXPECT_TRUE(leave_to_agent(flag_));
}

// A rank puts a message on the list just when the agent stops looking, and does not ring.
TEST_F(MessagesLeftToTheAgent, AreSeenInTheLastLook) {
  leave_to_agent(flag_);
  look(true);
  int looks = 0;
  EXPECT_TRUE(look_for_left(flag_, [&] { return ++looks == 2; }));
  EXPECT_TRUE(leave_to_agent(flag_));
}

class RankEnds : public testing::Test {
 protected:
  /// By the rank.
  void say(std::span<const Word> words) { said_.write(words); }
  static std::vector<Word> words_of(OperationKind kind) {
    Operation operation;
    operation.kind = kind;
    std::vector<Word> words;
    encode(operation, words);
    return words;
  }
  /// Sleeps on, and has looked so often.
  void nap(std::uint32_t naps) { slot_->naps = naps; }
  void sleep_for(SleepsFor what) { slot_->sleeps = Sleep(1, what).word(); }

  std::unique_ptr<RankSlot> slot_ = std::make_unique<RankSlot>();
  RankEnd end_{*slot_};
  RingWriter<OperationRing> said_{slot_->operations};
  Operation operation_;
};

TEST_F(RankEnds, TakeAnOperationOnceItIsWhole) {
  const std::vector<Word> words = words_of(OperationKind::read_clock);
  ASSERT_GT(words.size(), 1U);
  EXPECT_FALSE(end_.take(operation_));
  say(std::span(words).first(1));
  EXPECT_FALSE(end_.take(operation_));
  EXPECT_TRUE(end_.is_half_said());
  EXPECT_EQ(end_.known(), 0U);
  say(std::span(words).subspan(1));
  EXPECT_TRUE(end_.has_words());
  EXPECT_FALSE(end_.is_half_said());
  EXPECT_TRUE(end_.take(operation_));
  EXPECT_EQ(operation_.kind, OperationKind::read_clock);
  EXPECT_EQ(end_.known(), words.size());
}

TEST_F(RankEnds, RefuseAWrongLength) {
  const Word none = 0;
  say({&none, 1});
  EXPECT_THROW(end_.take(operation_), MalformedRecord);
}

TEST_F(RankEnds, KnowARankThatAttachesOnce) {
  EXPECT_FALSE(end_.attaches());
  EXPECT_FALSE(end_.pid());
  slot_->pid = 17;
  EXPECT_TRUE(end_.attaches());
  EXPECT_FALSE(end_.attaches());
  EXPECT_EQ(end_.pid(), 17);
  slot_->pid = 18;  // by the rank's program
  EXPECT_EQ(end_.pid(), 17);
}

TEST_F(RankEnds, RestAfterTwoNapsThatFoundNothing) {
  sleep_for(SleepsFor::answer);
  nap(1);
  EXPECT_EQ(end_.rest(), Rest::none);
  nap(2);
  EXPECT_EQ(end_.rest(), Rest::none);
  nap(3);
  EXPECT_EQ(end_.rest(), Rest::for_answer);
  const Word word = 1;
  end_.tell({&word, 1});
  EXPECT_EQ(end_.rest(), Rest::none);
  nap(5);
  EXPECT_EQ(end_.rest(), Rest::for_answer);
  end_.begin_answer();
  EXPECT_EQ(end_.rest(), Rest::none);
}

TEST_F(RankEnds, TellAsMuchAsThereIsRoomFor) {
  const std::vector<Word> many(AnswerRing::capacity + 5);
  EXPECT_TRUE(end_.has_room());
  EXPECT_EQ(end_.tell(many).size(), 5U);
  EXPECT_FALSE(end_.has_room());
  slot_->answers.read = 3;
  EXPECT_EQ(end_.tell(std::span(many).first(5)).size(), 2U);
}

TEST_F(RankEnds, SayHowFarARankIsUnlessItHasSaidMore) {
  EXPECT_EQ(end_.computed(), 0ns);
  slot_->pid = 17;
  slot_->clock.computed_ns = 250;
  slot_->clock.reached_ps = 90;
  EXPECT_EQ(end_.computed(), 250ns);
  EXPECT_EQ(end_.reached(), SimTime::from_ps(90));
  say(words_of(OperationKind::read_clock));
  EXPECT_FALSE(end_.computed());
  EXPECT_EQ(end_.reached(), SimTime());
}

}  // namespace
}  // namespace morgana
