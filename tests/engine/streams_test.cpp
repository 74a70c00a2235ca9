// Messages that come part by part.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "emulator/engine/engine.h"
#include "tests/engine/paced_transport.h"
#include "tests/engine/scripted_source.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;

constexpr SimTime head = o_s + PacedTransport::first;  // when the first frame is there
constexpr SimTime gap = PacedTransport::gap;

Operation packed(int to, std::int64_t bytes, int tag = 5) {
  Operation o = send(to, bytes, tag, 1, SendMode::buffered);
  o.call = Call::pvm_send;
  o.parts = {{1, static_cast<std::int32_t>(bytes), bytes}};
  return o;
}

Operation streamed(int from, std::uint64_t request, int tag = 5) {
  Operation o = receive(from, 0, tag, request);
  o.streamed = true;
  return o;
}

Operation part(std::uint64_t request, std::int64_t bytes) {
  Operation o;
  o.kind = OperationKind::wait_part;
  o.call = Call::pvm_upkint;
  o.request = RequestId{request};
  o.bytes = Bytes(bytes);
  o.wants_answer = true;
  return o;
}

Operation clock() {
  return plain(OperationKind::read_clock);
}

/// Rank 0 sends a message of so many bytes in one part, rank 1 does this.
ScriptedSource receiver(std::int64_t bytes, std::vector<Operation> script) {
  script.push_back(exit());
  return ScriptedSource({{packed(1, bytes), wait({1}), exit()}, std::move(script)});
}

/// What each answered operation of rank 1 ended at.
std::vector<SimTime> times(Machine machine, ScriptedSource& source) {
  Engine(machine, source, {}).run();
  std::vector<SimTime> ends;
  for (const Answer& answer : source.answers[1]) ends.push_back(answer.clock);
  return ends;
}

TEST(Streams, AReceiveEndsWithTheHeadAndEachPartWithItsLastByte) {
  ScriptedSource source =
      receiver(3500, {streamed(0, 1), wait({1}), part(1, 2000), part(1, 2001), part(1, 3500)});
  EXPECT_EQ(times(paced_machine(2), source),
            (std::vector<SimTime>{head + o_r, head + gap, head + 2 * gap, head + 3 * gap}));
}

TEST(Streams, AnAnswerSaysHowMuchIsStillComing) {
  ScriptedSource source = receiver(3500, {streamed(0, 1), wait({1}), part(1, 1500), part(1, 3500)});
  times(paced_machine(2), source);
  const auto& answers = source.answers[1];
  EXPECT_EQ(answers[0].completed.at(0).bytes, 3500_B);
  EXPECT_EQ(answers[0].completed.at(0).coming, 2500_B);
  EXPECT_EQ(answers[0].completed.at(0).payload, 1005U);
  EXPECT_EQ(answers[1].completed.at(0).coming, 1500_B);
  EXPECT_EQ(answers[2].completed.at(0).coming, 0_B);
}

TEST(Streams, APartThatIsThereIsNotWaitedFor) {
  ScriptedSource source =
      receiver(3500, {streamed(0, 1), wait({1}), part(1, 900), after(5_us, part(1, 2000)), clock()});
  const SimTime later = head + o_r + 5_us;  // after the second frame, before the third
  EXPECT_EQ(times(paced_machine(2), source), (std::vector<SimTime>{head + o_r, head + o_r, later, later}));
}

TEST(Streams, ThePartsOfAWholeMessageAreAllThere) {
  ScriptedSource source = receiver(3500, {after(1_ms, streamed(0, 1)), wait({1}), part(1, 3500)});
  EXPECT_EQ(times(paced_machine(2), source), (std::vector<SimTime>{1_ms + o_r, 1_ms + o_r}));
  EXPECT_EQ(source.answers[1].at(0).completed.at(0).coming, 0_B);
  EXPECT_TRUE(source.answers[1].at(1).completed.empty());
}

TEST(Streams, AReceiveThatAsksForTheWholeWaitsForIt) {
  ScriptedSource early = receiver(3500, {receive(0, 3500, 5, 1), wait({1})});
  EXPECT_EQ(times(paced_machine(2), early).at(0), head + 3 * gap + o_r);
  // Also if it is posted when the head is there.
  ScriptedSource late = receiver(3500, {after(head + gap, receive(0, 3500, 5, 1)), wait({1})});
  EXPECT_EQ(times(paced_machine(2), late).at(0), head + 3 * gap + o_r);
}

TEST(Streams, AHeadWaitsForItsReceive) {
  ScriptedSource source =
      receiver(3500, {after(head + gap + 1_us, streamed(0, 1)), wait({1}), part(1, 3000)});
  EXPECT_EQ(times(paced_machine(2), source), (std::vector<SimTime>{head + gap + 1_us + o_r, head + 2 * gap}));
  EXPECT_EQ(source.answers[1].at(0).completed.at(0).coming, 1500_B);
}

TEST(Streams, AProbeFindsAMessageWhoseHeadIsThere) {
  Operation probe = plain(OperationKind::probe);
  probe.peer = Rank{0};
  probe.tag = Tag{5};
  probe.wants_answer = true;
  ScriptedSource source = receiver(3500, {probe, streamed(0, 1), wait({1})});
  EXPECT_EQ(times(paced_machine(2), source), (std::vector<SimTime>{head, head + o_r}));
  EXPECT_EQ(source.answers[1].at(0).completed.at(0).bytes, 3500_B);
}

TEST(Streams, WithoutPartsOrAStreamingTransportMessagesComeWhole) {
  const std::vector<Operation> script{streamed(0, 1), wait({1}), part(1, 3500), exit()};
  ScriptedSource unpacked({{send(1, 3500, 5, 1, SendMode::buffered), wait({1}), exit()}, script});
  const std::vector<SimTime> whole{head + 3 * gap + o_r, head + 3 * gap + o_r};
  EXPECT_EQ(times(paced_machine(2), unpacked), whole);
  ScriptedSource source = receiver(3500, {streamed(0, 1), wait({1}), part(1, 3500)});
  EXPECT_EQ(times(paced_machine(2, false), source), whole);
}

TEST(Streams, WhatIsThereIsCopiedWhenItIsTaken) {
  Machine machine = paced_machine(2);
  machine.messages.receive_per_byte = ByteCost::from_fs(1'000'000);  // 1 ns
  ScriptedSource source = receiver(3500, {streamed(0, 1), wait({1}), part(1, 2000), part(1, 3500)});
  EXPECT_EQ(times(std::move(machine), source),
            (std::vector<SimTime>{head + o_r + 1_us, head + gap + 1_us, head + 3 * gap + 1500_ns}));
}

TEST(Streams, TheEnvelopeComesFirst) {
  Machine machine = paced_machine(2);
  machine.messages.envelope = 1200_B;  // more than a frame
  ScriptedSource source = receiver(2800, {streamed(0, 1), wait({1}), part(1, 1500), part(1, 2800)});
  EXPECT_EQ(times(std::move(machine), source),
            (std::vector<SimTime>{head + gap + o_r, head + 2 * gap, head + 3 * gap}));
  EXPECT_EQ(source.answers[1].at(0).completed.at(0).coming, 2000_B);
}

TEST(Streams, TheDataOfARendezvousAreStreamed) {
  Machine machine = paced_machine(2);
  machine.messages.eager_limit = 100_B;
  ScriptedSource source = receiver(3500, {streamed(0, 1), wait({1}), part(1, 3500)});
  // Request and clearance take a frame's way each.
  const SimTime data = head + 2 * PacedTransport::first;
  EXPECT_EQ(times(std::move(machine), source), (std::vector<SimTime>{data + o_r, data + 3 * gap}));
}

TEST(Streams, TheRestOfAMessageMayBeForgotten) {
  ScriptedSource source({{packed(1, 3500), wait({1}), after(1_us, packed(1, 500, 6)), wait({1}), exit()},
                         {streamed(0, 1), wait({1}), part(1, 0), streamed(0, 2, 6), wait({2}), exit()}});
  EXPECT_EQ(times(paced_machine(2), source),
            (std::vector<SimTime>{head + o_r, head + o_r, o_s + 1_us + head + o_r}));
}

TEST(Streams, ALostRestIsNamedInTheDeadlock) {
  ScriptedSource source = receiver(3500, {streamed(0, 1), wait({1}), part(1, 3500)});
  Machine machine = paced_machine(2, true, 2);
  try {
    Engine(machine, source, {}).run();
    FAIL() << "nobody noticed";
  } catch (const Deadlock& deadlock) {
    expect_message(deadlock.what(), {"rank 1: waits in pvm_upkint", "3500 of the 3500 bytes",
                                     "from rank 0 with tag 5", "1 message was lost"});
  }
}

TEST(Streams, HesitatingRanksChangeNothing) {
  const std::vector<Operation> script{streamed(0, 1), wait({1}), after(3_us, part(1, 2000)), part(1, 3500)};
  ScriptedSource prompt = receiver(3500, script);
  const std::vector<SimTime> expected = times(paced_machine(2), prompt);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    ScriptedSource source = receiver(3500, script);
    source.hesitate(seed);
    EXPECT_EQ(times(paced_machine(2), source), expected) << "seed " << seed;
  }
}

}  // namespace
}  // namespace morgana
