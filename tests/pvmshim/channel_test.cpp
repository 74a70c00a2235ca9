#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <cstring>
#include <deque>
#include <semaphore>
#include <thread>

#include "pvmshim/channel/codec.h"
#include "pvmshim/channel/operation_check.h"
#include "pvmshim/channel/rank_channel.h"
#include "tests/pvmshim/channel_support.h"
#include "tests/pvmshim/forked.h"
#include "tests/pvmshim/random_operations.h"

namespace morgana {
namespace {

using namespace std::chrono_literals;
using testing::Forked;
using testing::next_of;
using testing::Pipe;
using testing::RandomOperations;
using testing::settings_for;

Operation question(std::uint64_t payload) {
  Operation operation;
  operation.kind = OperationKind::wait;
  operation.wants_answer = true;
  operation.payload = payload;
  return operation;
}

TEST(Channel, TellsTheRankItsSettings) {
  ChannelSettings settings = settings_for(3);
  settings.compute = ComputeMode::none;
  settings.compute_scale = 2.5;
  settings.clock_tick_ps = 77;
  settings.epoch_s = 42;
  EmulatorChannel emulator(settings);
  const RankChannel rank(emulator.path(), Rank{2});
  EXPECT_EQ(rank.rank(), Rank{2});
  EXPECT_EQ(rank.settings().ranks, 3U);
  EXPECT_EQ(rank.settings().compute, ComputeMode::none);
  EXPECT_EQ(rank.settings().compute_scale, 2.5);
  EXPECT_EQ(rank.settings().clock_tick_ps, 77);
  EXPECT_EQ(rank.settings().epoch_s, 42);
}

TEST(Channel, KnowsWhichRanksHaveAttached) {
  EmulatorChannel emulator(settings_for(2));
  EXPECT_FALSE(emulator.pid_of(Rank{0}));
  const RankChannel rank(emulator.path(), Rank{0});
  EXPECT_EQ(emulator.pid_of(Rank{0}), getpid());
  EXPECT_FALSE(emulator.pid_of(Rank{1}));
}

TEST(Channel, RefusesARankThatIsTaken) {
  EmulatorChannel emulator(settings_for(2));
  const RankChannel rank(emulator.path(), Rank{1});
  EXPECT_THROW(RankChannel(emulator.path(), Rank{1}), Error);
}

TEST(Channel, GoesOnWhereTheProgramBeforeHasPassedTheRankOn) {
  EmulatorChannel emulator(settings_for(1));
  RankChannel before(emulator.path(), Rank{0});
  before.post(question(7));
  EXPECT_EQ(next_of(emulator, Rank{0}).payload, 7U);
  const std::uint64_t kept = before.allocate(Bytes(100), 1);
  before.pass_on(true);

  RankChannel after(emulator.path(), Rank{0});
  EXPECT_TRUE(after.resumed());
  EXPECT_FALSE(before.resumed());
  after.post(question(8));
  EXPECT_EQ(next_of(emulator, Rank{0}).payload, 8U);
  Answer answer;
  answer.clock = SimTime::from_ps(99);
  emulator.answer(Rank{0}, answer);
  after.await(answer);
  EXPECT_EQ(answer.clock, SimTime::from_ps(99));
  const std::uint64_t fresh = after.allocate(Bytes(100), 1);
  EXPECT_NE(fresh, kept);
  EXPECT_EQ(after.data(kept).size(), 100U);
}

TEST(Channel, IsNotGivenToASecondProgramOnceTheFirstKeepsIt) {
  EmulatorChannel emulator(settings_for(1));
  RankChannel rank(emulator.path(), Rank{0});
  rank.pass_on(true);
  rank.pass_on(false);
  EXPECT_THROW(RankChannel(emulator.path(), Rank{0}), Error);
}

TEST(Channel, RefusesARankOutOfRange) {
  EmulatorChannel emulator(settings_for(2));
  EXPECT_THROW(RankChannel(emulator.path(), Rank{2}), Error);
  EXPECT_THROW(RankChannel(emulator.path(), Rank{-1}), Error);
}

TEST(Channel, RefusesAFileThatIsNoChannel) {
  EXPECT_THROW(RankChannel("/proc/self/exe", Rank{0}), Error);
  EXPECT_THROW(RankChannel("/proc/self/fd/nothing", Rank{0}), Error);
}

TEST(Channel, IsPrivateToTheUser) {
  EmulatorChannel emulator(settings_for(1));
  struct stat file {};
  ASSERT_EQ(stat(emulator.path().c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 0777U, 0600U);
  EXPECT_EQ(file.st_nlink, 0U) << "it must have no name";
}

TEST(Channel, PostedOperationsArriveInOrder) {
  EmulatorChannel emulator(settings_for(1));
  RankChannel rank(emulator.path(), Rank{0});
  Operation taken;
  EXPECT_FALSE(emulator.take(Rank{0}, taken));
  for (std::uint64_t i = 1; i <= 10; ++i) rank.post(question(i));
  for (std::uint64_t i = 1; i <= 10; ++i) {
    ASSERT_TRUE(emulator.take(Rank{0}, taken));
    EXPECT_EQ(taken, question(i));
  }
  EXPECT_FALSE(emulator.take(Rank{0}, taken));
}

/// The next random operation that a rank of 8 may say.
Operation sayable(RandomOperations& random, Bytes payload_room) {
  while (true) {
    Operation operation = random.operation();
    try {
      check_said(operation, 8, payload_room);
      return operation;
    } catch (const MalformedRecord&) {  // another one, then
    }
  }
}

TEST(Channel, RandomOperationsSurviveManyRoundsOfTheRing) {
  const std::uint64_t seed = 11;
  RecordProperty("seed", std::to_string(seed));
  constexpr Bytes payload_room(1 << 20);
  EmulatorChannel emulator(settings_for(8), payload_room);
  RankChannel rank(emulator.path(), Rank{3});
  RandomOperations random(seed, 8);
  Operation taken;
  for (int i = 0; i < 50'000; ++i) {
    const Operation operation = sayable(random, payload_room);
    rank.post(operation);
    ASSERT_TRUE(emulator.take(Rank{3}, taken)) << "seed " << seed;
    ASSERT_EQ(taken, operation) << "seed " << seed;
  }
}

TEST(Channel, AnswersReachTheirRank) {
  EmulatorChannel emulator(settings_for(2));
  RankChannel first(emulator.path(), Rank{0});
  RankChannel second(emulator.path(), Rank{1});
  RandomOperations random(5, 2);
  Answer to_first = random.answer();
  Answer to_second = random.answer();
  // The channel itself says how much those have said that compute: here, nothing yet.
  for (Answer* answer : {&to_first, &to_second})
    for (ComputingRank& one : answer->computing) one.said = 0;
  emulator.answer(Rank{0}, to_first);
  emulator.answer(Rank{1}, to_second);
  Answer answer;
  second.await(answer);
  EXPECT_EQ(answer, to_second);
  first.await(answer);
  EXPECT_EQ(answer, to_first);
}

TEST(Channel, RefusesPeersThatTheRunDoesNotHave) {
  EmulatorChannel emulator(settings_for(2));
  RankChannel rank(emulator.path(), Rank{0});
  Operation operation;
  operation.peer = Rank{2};
  rank.post(operation);
  EXPECT_THROW(emulator.take(Rank{0}, operation), Error);
}

TEST(Channel, RefusesMembersThatTheRunDoesNotHave) {
  EmulatorChannel emulator(settings_for(2));
  RankChannel rank(emulator.path(), Rank{0});
  Operation operation;
  operation.members = {Rank{0}, Rank{7}};
  rank.post(operation);
  EXPECT_THROW(emulator.take(Rank{0}, operation), Error);
}

TEST(Channel, AHundredThousandRoundTripsBetweenProcesses) {
  constexpr std::uint64_t rounds = 100'000;
  EmulatorChannel emulator(settings_for(1));
  Forked rank([path = emulator.path()] {
    RankChannel channel(path, Rank{0});
    Answer answer;
    for (std::uint64_t i = 0; i < rounds; ++i) {
      channel.post(question(i));
      channel.await(answer);
      if (answer.clock.ps() != static_cast<std::int64_t>(i)) return 1;
    }
    return 0;
  });
  for (std::uint64_t i = 0; i < rounds; ++i) {
    ASSERT_EQ(next_of(emulator, Rank{0}).payload, i);
    Answer answer;
    answer.clock = SimTime::from_ps(static_cast<std::int64_t>(i));
    emulator.answer(Rank{0}, answer);
  }
  EXPECT_EQ(rank.result(), 0);
}

TEST(Channel, OperationsLongerThanTheRingArriveWhole) {
  constexpr std::size_t requests = 1'000'000;
  EmulatorChannel emulator(settings_for(1));
  Forked rank([path = emulator.path()] {
    RankChannel channel(path, Rank{0});
    Operation wait = question(1);
    for (std::size_t i = 1; i <= requests; ++i) wait.requests.push_back(RequestId{i});
    channel.post(wait);
    channel.post(question(2));
    Answer answer;
    channel.await(answer);
    if (answer.completed.size() != requests) return 1;
    for (std::size_t i = 0; i < requests; ++i)
      if (answer.completed[i].request != RequestId{i + 1}) return 2;
    return 0;
  });
  const Operation wait = next_of(emulator, Rank{0});
  ASSERT_EQ(wait.requests.size(), requests);
  Answer answer;
  for (std::size_t i = 0; i < requests; ++i) {
    ASSERT_EQ(wait.requests[i], RequestId{i + 1});
    answer.completed.emplace_back().request = wait.requests[i];
  }
  EXPECT_EQ(next_of(emulator, Rank{0}), question(2));
  emulator.answer(Rank{0}, answer);
  EXPECT_EQ(rank.result(), 0);
}

TEST(Channel, AnUntakenOperationLeavesNoBoundOfComputing) {
  EmulatorChannel emulator(settings_for(1));
  RankChannel rank(emulator.path(), Rank{0});
  EXPECT_TRUE(emulator.computed(Rank{0}));
  rank.post(question(1));
  EXPECT_FALSE(emulator.computed(Rank{0}));
  Operation taken;
  emulator.take(Rank{0}, taken);
  EXPECT_TRUE(emulator.computed(Rank{0}));
}

TEST(Channel, SaysWhenARankHasSaidAll) {
  EmulatorChannel emulator(settings_for(1));
  RankChannel rank(emulator.path(), Rank{0});
  EXPECT_FALSE(emulator.ended(Rank{0}));
  rank.finished();
  EXPECT_TRUE(emulator.ended(Rank{0}));
}

TEST(Channel, ManyRanksPostAtOnceAndNoWakeUpIsLost) {
  constexpr std::uint32_t ranks = 12;
  constexpr std::uint64_t operations = 3'000;
  EmulatorChannel emulator(settings_for(ranks));
  std::deque<Forked> processes;
  for (std::uint32_t i = 0; i < ranks; ++i)
    processes.emplace_back([path = emulator.path(), i] {
      RankChannel channel(path, Rank{static_cast<std::int32_t>(i)});
      Answer answer;
      for (std::uint64_t n = 0; n < operations; ++n) {
        Operation operation = question(n);
        operation.wants_answer = n % 7 == 0;
        channel.post(operation);
        if (operation.wants_answer) channel.await(answer);
      }
      return 0;
    });
  std::vector<std::uint64_t> taken(ranks);
  std::vector<Rank> open(ranks);
  for (std::uint32_t i = 0; i < ranks; ++i) open[i] = Rank{static_cast<std::int32_t>(i)};
  Operation operation;
  while (!open.empty()) {
    emulator.wait(open, 100ms);
    for (const Rank rank : open)
      while (emulator.take(rank, operation)) {
        ASSERT_EQ(operation.payload, taken[index(rank)]++);
        if (operation.wants_answer) emulator.answer(rank, Answer());
      }
    std::erase_if(open, [&taken](Rank rank) { return taken[index(rank)] == operations; });
  }
  for (Forked& process : processes) EXPECT_EQ(process.result(), 0);
}

/// A rank may go into the real library with a question in the middle of a call, and sleep there until the
/// emulator has let others go on: nobody else would wake that. (It sleeps for an hour, if for anything.)
TEST(Channel, ARankThatWantsAnAnswerWakesTheEmulatorAlsoBeforeItAwaitsIt) {
  constexpr std::uint64_t rounds = 200;
  EmulatorChannel emulator(settings_for(1));
  RankChannel rank(emulator.path(), Rank{0});
  std::binary_semaphore taken(0);
  std::thread emulating([&] {
    const Rank all[] = {Rank{0}};
    Operation operation;
    for (std::uint64_t round = 0; round < rounds; ++round) {
      while (!emulator.take(Rank{0}, operation)) emulator.wait(all, 1h);
      emulator.answer(Rank{0}, Answer());
      taken.release();
    }
  });
  Answer answer;
  for (std::uint64_t round = 0; round < rounds; ++round) {
    Operation asked = question(round);
    asked.part = CallPart::middle;
    rank.post(asked);
    taken.acquire();
    rank.await(answer);
  }
  emulating.join();
}

TEST(Channel, RanksDoNotOutliveAnEmulatorThatDies) {
  Pipe paths;
  Pipe attached;
  Forked emulator([&paths] {
    const EmulatorChannel channel(settings_for(2), Bytes(1 << 20));
    paths.put(channel.path());
    pause();
    return 0;
  });
  const std::string path = paths.get();
  Forked awaiting([&] {
    RankChannel channel(path, Rank{0});
    attached.put("0");
    Answer answer;
    channel.await(answer);
    return 0;
  });
  Forked posting([&] {
    RankChannel channel(path, Rank{1});
    attached.put("1");
    while (true) channel.post(question(1));
    return 0;
  });
  attached.get();
  attached.get();
  kill(emulator.pid(), SIGKILL);
  EXPECT_EQ(awaiting.result(), EXIT_FAILURE);
  EXPECT_EQ(posting.result(), EXIT_FAILURE);
}

TEST(Channel, AnAnswerToARankThatDiedIsAnError) {
  EmulatorChannel emulator(settings_for(1));
  {
    Forked rank([path = emulator.path()] {
      RankChannel channel(path, Rank{0});
      return 0;
    });
    EXPECT_EQ(rank.result(), 0);
  }
  Answer answer;
  answer.completed.resize(10'000);
  EXPECT_THROW(emulator.answer(Rank{0}, answer), Error);
}

}  // namespace
}  // namespace morgana
