#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "emulator/engine/engine.h"
#include "emulator/engine/rank_state.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;
using testing::ElementsAre;

Operation one_sided(OperationKind kind, int target, std::uint64_t request) {
  Operation o = plain(kind);
  o.call = Call::MPI_Put;
  o.peer = Rank{target};
  o.context = Context{7};
  o.request = RequestId{request};
  return o;
}

Operation access(int target, std::int64_t bytes, std::int64_t reply, std::uint64_t request) {
  Operation o = one_sided(OperationKind::access, target, request);
  o.bytes = Bytes(bytes);
  o.reply = Bytes(reply);
  return o;
}

Operation lock(int target, bool exclusive, std::uint64_t request) {
  Operation o = one_sided(OperationKind::lock, target, request);
  o.exclusive = exclusive;
  return o;
}

std::vector<SimTime> run(Machine machine, ScriptedSource& source) {
  return Engine(machine, source, {}).run();
}

TEST(OneSided, TakesARoundTripThatTheTargetDoesNotNotice) {
  ScriptedSource source({{access(1, 101, 1001, 1), wait({1}), exit()}, {exit()}});
  EXPECT_THAT(run(logp_machine(2), source),
              ElementsAre(o_s + G.time_for(100_B) + L + G.time_for(1000_B) + L, SimTime()));
}

TEST(OneSided, CopiesOnceWithinAHost) {
  ScriptedSource source({{access(1, 1000, 0, 1), wait({1}), exit()}, {exit()}});
  EXPECT_EQ(run(logp_machine(2, 2), source).at(0), 200_ns + 100_ns + 50_ns + 50_ns);
}

TEST(OneSided, GrantsAnExclusiveLockToOneAfterTheOther) {
  const SimTime trip = o_s + L + L;
  const auto holder = [](SimTime asks, SimTime holds) {
    return std::vector<Operation>{after(asks, lock(0, true, 1)), wait({1}),
                                  after(holds, one_sided(OperationKind::unlock, 0, 2)), wait({2}), exit()};
  };
  ScriptedSource source({{exit()}, holder(SimTime(), 1_ms), holder(10_us, 1_ms)});
  run(logp_machine(3), source);
  EXPECT_EQ(source.answers[1].at(0).clock, trip);
  // Its lock's return reaches the target one way later; the acknowledgement leaves first, the grant a gap
  // after it.
  EXPECT_EQ(source.answers[2].at(0).clock, trip + 1_ms + o_s + L + g + L);
}

TEST(OneSided, GrantsSharedLocksTogetherButNotPastAnExclusiveOneThatCameFirst) {
  const auto holder = [](SimTime asks, bool exclusive) {
    return std::vector<Operation>{after(asks, lock(0, exclusive, 1)), wait({1}),
                                  after(1_ms, one_sided(OperationKind::unlock, 0, 2)), wait({2}), exit()};
  };
  ScriptedSource source(
      {{exit()}, holder(SimTime(), false), holder(10_us, false), holder(20_us, true), holder(30_us, false)});
  run(logp_machine(5), source);
  const SimTime trip = o_s + L + L;
  EXPECT_EQ(source.answers[1].at(0).clock, trip);
  EXPECT_EQ(source.answers[2].at(0).clock, 10_us + trip);
  EXPECT_GT(source.answers[3].at(0).clock, source.answers[2].at(0).clock + 1_ms);
  EXPECT_GT(source.answers[4].at(0).clock, source.answers[3].at(0).clock + 1_ms);
}

/// A shim's numbers differ in their upper bits alone, and a program may start any number of accesses at once.
TEST(OneSided, SpreadsRequestsThatAreCountedInTheirUpperBits) {
  constexpr std::uint64_t requests = 4096;
  std::set<std::size_t> places;
  for (std::uint64_t i = 1; i <= requests; ++i) places.insert(RequestIdHash()(RequestId{i << 24}) % requests);
  EXPECT_GT(places.size(), requests / 2);
}

TEST(MatchedProbe, SetsAMessageAsideForTheReceiveThatNamesIt) {
  Operation probe = plain(OperationKind::probe);
  probe.wants_answer = true;
  probe.taken = RequestId{50};
  Operation named = receive(-1, 8, -1, 1);
  named.taken = RequestId{50};
  ScriptedSource source({{probe, receive(1, 8, -1, 2), wait({2}), named, wait({1}), exit()},
                         {send(0, 8, 5, 1), wait({1}), send(0, 8, 6, 2), wait({2}), exit()}});
  run(logp_machine(2), source);
  EXPECT_EQ(source.answers[0].at(0).completed.at(0).tag, Tag{5});
  EXPECT_EQ(source.answers[0].at(0).completed.at(0).request, RequestId{50});
  EXPECT_EQ(source.answers[0].at(1).completed.at(0).tag, Tag{6});
  EXPECT_EQ(source.answers[0].at(2).completed.at(0).tag, Tag{5});
}

TEST(MatchedProbe, RefusesAReceiveOfAMessageThatNoProbeHasTaken) {
  Operation named = receive(-1, 8, -1, 1);
  named.taken = RequestId{50};
  ScriptedSource source({{named, exit()}});
  EXPECT_THROW(run(logp_machine(1), source), Error);
}

}  // namespace
}  // namespace morgana
