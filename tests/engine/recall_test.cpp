// Sends that are taken back: Messenger::recall.

#include <gmock/gmock.h>

#include <cstdint>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/engine/engine.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/push_pull_machine.h"
#include "tests/engine/scripted_source.h"
#include "tests/support/effort.h"
#include "tests/transport/lossy_network.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;

Operation cancel(std::uint64_t request) {
  Operation operation = plain(OperationKind::cancel);
  operation.request = RequestId{request};
  return operation;
}

struct Ended {
  bool cancelled;
  SimTime at;
  Bytes received;
};

/// Rank 0 sends so many bytes and takes them back at once; rank 1 posts its receive then, and cancels it
/// after a second.
Ended taken_back(Machine machine, std::int64_t bytes, SimTime received_at,
                 SendMode mode = SendMode::standard) {
  ScriptedSource source(
      {{send(1, bytes, 5, 1, mode), cancel(1), wait({1}), exit()},
       {after(received_at, receive(0, bytes, 5, 1)), after(1_s, cancel(1)), wait({1}), exit()}});
  Engine engine(machine, source, {});
  const SimTime end = engine.run()[0];
  EXPECT_EQ(engine.unreceived_messages(), 0U);
  const Completed &sent = source.answers[0].at(0).completed.at(0),
                  &received = source.answers[1].at(0).completed.at(0);
  EXPECT_EQ(sent.cancelled, received.cancelled);
  return {sent.cancelled, end, received.bytes};
}

// The request is at the receiver at o_s + L, the recall a gap later, since the interface sends no earlier;
// the answer takes another L.
TEST(Recall, EndsARendezvousThatNobodyHasAnswered) {
  const Ended ended = taken_back(logp_machine(2), 5000, 1_ms);
  EXPECT_TRUE(ended.cancelled);
  EXPECT_EQ(ended.at, o_s + L + g + L);
}

TEST(Recall, ComesTooLateForWhatHasMatched) {
  const Ended ended = taken_back(logp_machine(2), 5000, o_s + L + g - 1_ns);
  EXPECT_FALSE(ended.cancelled);
  EXPECT_EQ(ended.received, 5000_B);
  EXPECT_TRUE(taken_back(logp_machine(2), 5000, o_s + L + g + 1_ns).cancelled);
}

TEST(Recall, EndsASynchronousSend) {
  EXPECT_TRUE(taken_back(logp_machine(2), 8, 1_ms, SendMode::synchronous).cancelled);
  EXPECT_FALSE(taken_back(logp_machine(2), 8, 0_ms, SendMode::synchronous).cancelled);
}

// There and back through the memory of the host.
TEST(Recall, WorksWithinAHost) {
  const Ended ended = taken_back(logp_machine(2, 2), 5000, 1_ms);
  EXPECT_TRUE(ended.cancelled);
  EXPECT_EQ(ended.at, 200_ns + 2 * 50_ns);
}

TEST(Recall, IsNothingForASendThatIsComplete) {
  ScriptedSource source({{send(1, 8, 5, 1), cancel(1), wait({1}), exit()},
                         {after(1_ms, receive(0, 8, 5, 1)), wait({1}), exit()}});
  Machine machine = logp_machine(2);
  EXPECT_EQ(Engine(machine, source, {}).run()[0], o_s);
  EXPECT_FALSE(source.answers[0].at(0).completed.at(0).cancelled);
  EXPECT_EQ(source.answers[1].at(0).completed.at(0).bytes, 8_B);
}

TEST(Recall, LeavesAMessageToTheProbeThatHasTakenIt) {
  Operation probe = plain(OperationKind::probe);
  probe.peer = Rank{0};
  probe.tag = Tag{5};
  probe.taken = RequestId{7};
  probe.wants_answer = true;
  Operation taken = receive(0, 5000, 5, 1);
  taken.taken = RequestId{7};
  ScriptedSource source({{send(1, 5000, 5, 1), after(1_ms, cancel(1)), wait({1}), exit()},
                         {probe, after(2_ms, taken), wait({1}), exit()}});
  Machine machine = logp_machine(2);
  Engine(machine, source, {}).run();
  EXPECT_FALSE(source.answers[0].at(0).completed.at(0).cancelled);
  EXPECT_EQ(source.answers[1].at(1).completed.at(0).bytes, 5000_B);
}

// A call and the launch of the push, its address behind it; the recall is a unit of 20 B more, which a
// handler takes in an interrupt, and answers.
TEST(Recall, EndsAPushThatWaitsForItsRequest) {
  const Ended ended = taken_back(PushPullCase().machine(), 500, 1_ms);
  EXPECT_TRUE(ended.cancelled);
  EXPECT_EQ(ended.received, 0_B);
  EXPECT_EQ(taken_back(PushPullCase().machine(), 500, 0_ms).received, 500_B);
}

struct Count {
  int cancelled = 0, received = 0;
};

/// Rank 0 sends messages of all kinds and takes each back a while later; rank 1 receives them at other times.
Count taken_back_or_received(Machine machine, std::uint64_t seed) {
  RandomStream random(seed, "recall");
  constexpr std::uint64_t messages = 12;
  std::vector<Operation> sender, receiver;
  const auto pause = [&](std::uint64_t longest_us) {
    return SimTime::from_ps(static_cast<std::int64_t>(random.below(longest_us * 1'000'000)));
  };
  Operation all = wait({}), rest = wait({});
  for (std::uint64_t i = 1; i <= messages; ++i) {
    const auto bytes = static_cast<std::int64_t>(random.below(random.chance(0.5) ? 100 : 20'000));
    const SendMode mode = random.chance(0.3) ? SendMode::synchronous : SendMode::standard;
    sender.push_back(after(pause(40), send(1, bytes, static_cast<int>(i), i, mode)));
    if (i > 1) sender.push_back(after(pause(5), cancel(random.chance(0.5) ? i : 1 + random.below(i))));
    receiver.push_back(after(pause(80), receive(0, 20'000, static_cast<int>(i), i)));
    all.requests.push_back(RequestId{i});
  }
  rest.requests = all.requests;
  for (std::uint64_t i = 1; i <= messages; ++i) sender.push_back(cancel(i));
  sender.insert(sender.end(), {all, exit()});
  // In a call, so that a host that polls looks at its interface.
  receiver.push_back(receive(0, 8, 99, messages + 1));
  receiver.push_back(wait({messages + 1}));
  receiver.back().duration = 1'000'000_s;
  rest.requests.push_back(RequestId{messages + 1});
  for (std::uint64_t i = 1; i <= messages + 1; ++i) receiver.push_back(cancel(i));
  receiver.insert(receiver.end(), {rest, exit()});
  ScriptedSource source({sender, receiver});
  Engine engine(machine, source, {});
  engine.run();
  EXPECT_EQ(engine.unreceived_messages(), 0U);
  EXPECT_EQ(machine.kernel_message_counters.slots_taken, 0);
  Count count;
  for (std::size_t i = 0; i < messages; ++i) {
    const bool cancelled = source.answers[0].at(0).completed.at(i).cancelled;
    EXPECT_EQ(cancelled, source.answers[1].at(1).completed.at(i).cancelled) << "message " << i + 1;
    ++(cancelled ? count.cancelled : count.received);
  }
  return count;
}

void add(Count& sum, const Count& count) {
  sum.cancelled += count.cancelled;
  sum.received += count.received;
}

TEST(Recall, EitherEndsASendOrLetsItBeReceived) {
  Count sum;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(random_cases(300)); ++seed) {
    SCOPED_TRACE(seed);
    Machine machine = logp_machine(2, seed % 3 == 0 ? 2 : 1);
    machine.messages.push = Bytes(static_cast<std::int64_t>(seed % 4) * 3000);
    machine.messages.second_push = Bytes(static_cast<std::int64_t>(seed % 5) * 2000);
    if (seed % 2 == 0) machine.messages.unexpected_buffer = 5000_B;
    add(sum, taken_back_or_received(std::move(machine), seed));
  }
  EXPECT_GT(sum.cancelled, sum.received / 20);
  EXPECT_GT(sum.received, sum.cancelled / 20);
}

TEST(Recall, EitherEndsAPushOrLetsItBeReceivedWhateverIsLost) {
  Count sum;
  for (std::uint64_t seed = 1; seed <= static_cast<std::uint64_t>(random_cases(300)); ++seed) {
    SCOPED_TRACE(seed);
    PushPullCase one;
    if (seed % 3 == 0) one.host_of = {HostId{0}, HostId{0}};
    one.push = static_cast<std::int64_t>(seed % 4) * 1000;
    one.second_push = static_cast<std::int64_t>(seed % 5) * 700;
    one.local_push = static_cast<std::int64_t>(seed % 2) * 1000;
    one.eager_limit = seed % 7 == 0 ? 1 << 20 : 0;
    one.pushed_buffer = seed % 2 == 0 ? 2048 : 8192;
    one.tries = 0;
    one.polls = seed % 11 == 0;
    auto events = std::make_unique<EventQueue>();
    auto network = std::make_unique<testing::LossyNetwork>(
        *events, 2,
        [share = static_cast<double>(seed % 7) / 10, random = RandomStream(seed, "losses")](
            const Unit&, std::uint64_t) mutable { return random.chance(share); });
    add(sum, taken_back_or_received(one.machine(std::move(network), std::move(events)), seed));
  }
  EXPECT_GT(sum.cancelled, sum.received / 20);
  EXPECT_GT(sum.received, sum.cancelled / 20);
}

}  // namespace
}  // namespace morgana
