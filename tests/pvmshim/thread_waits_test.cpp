// What threads wait for, and which of them polls on, without any thread that takes turns.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <vector>

#include "pvmshim/clock/thread_polls.h"
#include "pvmshim/clock/thread_waits.h"
#include "tests/pvmshim/fake_turns.h"
#include "tests/pvmshim/forked.h"

namespace morgana {
namespace {

using namespace literals;
using ::testing::ElementsAre;
using testing::Forked;
using testing::fake_turns::FakeRank;
using Looked = ThreadWaits::Looked;
using Place = ProgramThread::Place;

/// Keeps what it is asked.
class AskedRank final : public FakeRank {
 public:
  const Answer& carry_out(Operation& operation) override {
    asked.push_back(operation);
    return FakeRank::carry_out(operation);
  }
  std::vector<Operation> asked;
};

/// A thread that the program has announced and not made yet: nobody else knows of it.
class OnlyKnown {
 public:
  OnlyKnown() : thread_(ProgramThreads::own().about_to_create()) {}
  ~OnlyKnown() { ProgramThreads::own().not_created(thread_); }
  OnlyKnown(const OnlyKnown&) = delete;
  OnlyKnown& operator=(const OnlyKnown&) = delete;
  ProgramThread& operator*() const { return *thread_; }
  ProgramThread* operator->() const { return thread_; }

 private:
  ProgramThread* thread_;
};

constexpr RequestId request1{1}, request2{2}, request3{3};

Operation wait_for_all_of(std::initializer_list<RequestId> requests, Call call = Call::MPI_Waitall) {
  Operation wait;
  wait.kind = OperationKind::wait;
  wait.call = call;
  wait.requests.assign(requests.begin(), requests.end());
  return wait;
}

Operation probe_in(std::uint64_t context, Tag tag = any_tag) {
  Operation probe;
  probe.kind = OperationKind::probe;
  probe.call = Call::MPI_Probe;
  probe.context = Context{context};
  probe.tag = tag;
  return probe;
}

/// Of `body`, in a process of its own, where no other test's threads are.
template <typename Body>
bool holds_alone(const Body& body) {
  Forked child([&] {
    body();
    return ::testing::Test::HasFailure() ? 1 : 0;
  });
  return child.result() == 0;
}

std::vector<RequestId> have_come(const ProgramThread& thread) {
  std::vector<RequestId> come;
  for (const Completed& completed : thread.answer.completed) come.push_back(completed.request);
  return come;
}

TEST(ThreadWaits, AreOneWaitWhoseEndIsEachThreadsOwn) {
  EXPECT_TRUE(holds_alone([] {
    AskedRank rank;
    ThreadWaits waits(ProgramThreads::own(), rank, false, SimTime());
    const OnlyKnown a, b;
    ThreadsLock lock;
    EXPECT_FALSE(waits.any());
    waits.begin(*a, wait_for_all_of({request1, request2}));
    waits.begin(*b, wait_for_all_of({request3}, Call::MPI_Recv));
    rank.come = {request2};
    EXPECT_EQ(waits.look(lock, SimTime::max(), nullptr), Looked::acted);
    ASSERT_EQ(rank.asked.size(), 1U);
    EXPECT_THAT(rank.asked[0].requests, ElementsAre(request1, request2, request3));
    EXPECT_EQ(rank.asked[0].completion, Completion::some);
    EXPECT_EQ(rank.asked[0].duration, SimTime());
    EXPECT_EQ(a->place, Place::waiting);
    rank.come = {request3};
    waits.look(lock, SimTime::max(), nullptr);
    EXPECT_EQ(b->place, Place::parked);
    EXPECT_EQ(b->answer.clock, 2_us);
    EXPECT_THAT(have_come(*b), ElementsAre(request3));
    rank.come = {request1};
    waits.look(lock, SimTime::max(), nullptr);
    EXPECT_THAT(rank.asked[2].requests, ElementsAre(request1));
    EXPECT_EQ(rank.asked[2].call, Call::MPI_Waitall);
    EXPECT_EQ(a->place, Place::parked);
    EXPECT_THAT(have_come(*a), ElementsAre(request1, request2)) << "in the order of the requests";
    EXPECT_FALSE(waits.any());
  }));
}

TEST(ThreadWaits, LastUntilSomebodyMayActAndAreLookedAfterOnceThere) {
  EXPECT_TRUE(holds_alone([] {
    AskedRank rank;
    ThreadWaits waits(ProgramThreads::own(), rank, false, SimTime());
    const OnlyKnown a;
    ThreadsLock lock;
    waits.begin(*a, wait_for_all_of({request1}));
    EXPECT_EQ(waits.look(lock, 5_us, nullptr), Looked::acted);
    ASSERT_EQ(rank.asked.size(), 1U);
    EXPECT_EQ(rank.asked[0].duration, 5_us);
    EXPECT_EQ(waits.look(lock, 5_us, nullptr), Looked::nothing);
    EXPECT_EQ(rank.asked.size(), 1U);
    EXPECT_EQ(a->place, Place::waiting);
  }));
}

// The emulator has said until when nothing comes; it says so anew with each thing that does.
TEST(ThreadWaits, AreQuietAsLongAsThatIsPromised) {
  EXPECT_TRUE(holds_alone([] {
    AskedRank rank;
    ThreadWaits waits(ProgramThreads::own(), rank, true, SimTime());
    const OnlyKnown a, b;
    ThreadsLock lock;
    waits.begin(*a, wait_for_all_of({request1}));
    rank.promise(1_s);
    EXPECT_EQ(waits.look(lock, 5_us, nullptr), Looked::acted) << "never looked after so far";
    EXPECT_EQ(waits.look(lock, 1_ms, nullptr), Looked::quiet);
    EXPECT_EQ(waits.look(lock, 5_us, nullptr), Looked::quiet);
    EXPECT_EQ(rank.asked.size(), 1U);
    EXPECT_EQ(waits.look(lock, 1_s, nullptr), Looked::acted) << "not for longer";
    EXPECT_EQ(rank.asked.size(), 2U);
    ++rank.news;
    rank.promise(3_s);
    EXPECT_EQ(waits.look(lock, 2_s, nullptr), Looked::acted) << "something has come";
    EXPECT_EQ(waits.look(lock, 2_s, nullptr), Looked::quiet);
    waits.begin(*b, wait_for_all_of({request2}));
    EXPECT_EQ(waits.look(lock, 2500_ms, nullptr), Looked::acted) << "another one waits";
  }));
}

TEST(ThreadWaits, OfProbesInOneCommunicatorAreOneOfAnyMessage) {
  EXPECT_TRUE(holds_alone([] {
    AskedRank rank;
    ThreadWaits waits(ProgramThreads::own(), rank, false, SimTime());
    const OnlyKnown a, b;
    ThreadsLock lock;
    waits.begin(*a, probe_in(1, Tag{1}));
    waits.begin(*b, probe_in(1, Tag{2}));
    rank.has_message = true;
    rank.tag = Tag{2};
    EXPECT_EQ(waits.look(lock, SimTime::max(), nullptr), Looked::acted);
    ASSERT_EQ(rank.asked.size(), 1U);
    EXPECT_EQ(rank.asked[0].tag, any_tag);
    EXPECT_EQ(a->place, Place::waiting);
    EXPECT_EQ(b->place, Place::parked);
  }));
}

// No probe asks for messages of two communicators: each looks from time to time, the less often the longer it
TEST(ThreadWaits, OfProbesInTwoCommunicatorsLookInTurn) {
  EXPECT_TRUE(holds_alone([] {
    AskedRank rank;
    ThreadWaits waits(ProgramThreads::own(), rank, false, SimTime());
    const OnlyKnown a, b;
    ThreadsLock lock;
    waits.begin(*a, probe_in(1));
    waits.begin(*b, probe_in(2));
    while (rank.clock < 100_us) waits.look(lock, 200_us, nullptr);
    EXPECT_EQ(rank.asked[0].kind, OperationKind::test_probe);
    EXPECT_EQ(rank.asked[0].context, Context{1});
    EXPECT_EQ(rank.asked[1].kind, OperationKind::test_probe);
    EXPECT_EQ(rank.asked[1].context, Context{2});
    EXPECT_GT(rank.looks, 20);
    EXPECT_LT(rank.looks, 100);
  }));
}

TEST(ThreadWaits, KnowWhatHasComeForAThreadThatHasNotBeenTold) {
  EXPECT_TRUE(holds_alone([] {
    AskedRank rank;
    ThreadWaits waits(ProgramThreads::own(), rank, false, SimTime());
    const OnlyKnown a, b;
    ThreadsLock lock;
    waits.begin(*a, wait_for_all_of({request1, request2}));
    rank.come = {request1};
    waits.look(lock, SimTime::max(), nullptr);
    Operation test = wait_for_all_of({request1, request3});
    EXPECT_EQ(waits.take_come(test).size(), 1U);
    EXPECT_THAT(test.requests, ElementsAre(request3));
    waits.begin(*b, wait_for_all_of({request1}));
    EXPECT_EQ(b->place, Place::parked) << "without asking";
    EXPECT_EQ(waits.find_come(request2), nullptr);
    EXPECT_EQ(rank.asked.size(), 1U);
  }));
}

/// It has the turn for a poll that finds nothing, and calls again.
void have_polled_in_vain(ThreadPolls& polls, ProgramThread& thread, std::uint32_t news) {
  polls.has_turn(thread);
  thread.polled_at = news;
  thread.place = Place::parked;
}

TEST(ThreadPolls, GoOnUntilTheyHaveHadTheirTurns) {
  EXPECT_TRUE(holds_alone([] {
    AskedRank rank;
    ThreadPolls polls(ProgramThreads::own(), rank, false);
    const OnlyKnown a, b;
    const ThreadsLock lock;
    have_polled_in_vain(polls, *b, 5);
    have_polled_in_vain(polls, *a, 5);
    int more = 0;
    for (; polls.next() == &*a; ++more) have_polled_in_vain(polls, *a, 5);
    EXPECT_EQ(more, ThreadPolls::most_in_turn - 1);
    EXPECT_EQ(polls.next(), nullptr);
    have_polled_in_vain(polls, *b, 5);
    EXPECT_EQ(polls.next(), &*b);
    b->polled_at = 6;  // something has come, for which the other one has not looked
    EXPECT_EQ(polls.next(), nullptr);
    a->polled_at = 6;
    a->only_comes = true;  // it does not poll
    EXPECT_EQ(polls.next(), nullptr);
  }));
}

TEST(ThreadPolls, ThatAreMeasuredGoOnAsLongAsNothingComesForSure) {
  EXPECT_TRUE(holds_alone([] {
    AskedRank rank;
    ThreadPolls polls(ProgramThreads::own(), rank, true);
    const OnlyKnown a, b;
    const ThreadsLock lock;
    have_polled_in_vain(polls, *b, 0);
    have_polled_in_vain(polls, *a, 0);
    a->since = 10_us;
    EXPECT_EQ(polls.next(), nullptr);
    rank.promise(11_us);
    EXPECT_EQ(polls.next(), &*a);
    a->since = 11_us;
    EXPECT_EQ(polls.next(), nullptr);
  }));
}

}  // namespace
}  // namespace morgana
