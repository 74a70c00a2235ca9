// Messages of which a part is pushed before their receive is known. Those of more than 4096 bytes are not
// eager, and requests and clearances have 1 byte (logp_machine.h).

#include <gmock/gmock.h>

#include "emulator/engine/engine.h"
#include "tests/engine/failing_transport.h"
#include "tests/engine/logp_machine.h"
#include "tests/engine/random_messages.h"
#include "tests/engine/scripted_source.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;
using testing::ElementsAre;
using testing::Field;

Machine pushing_machine(std::int64_t first, std::int64_t second = 0) {
  Machine machine = logp_machine(2);
  machine.messages.push = Bytes(first);
  machine.messages.second_push = Bytes(second);
  return machine;
}

std::vector<SimTime> run(Machine machine, std::vector<std::vector<Operation>> scripts) {
  ScriptedSource source(std::move(scripts));
  return Engine(machine, source, {}).run();
}

Machine small_buffer(Machine machine, std::int64_t room) {
  machine.messages.unexpected_buffer = Bytes(room);
  return machine;
}

std::vector<Operation> sends(SendMode mode = SendMode::standard) {
  return {send(1, 5000, 5, 1, mode), wait({1}), exit()};
}
std::vector<Operation> receives(SimTime at = SimTime()) {
  return {after(at, receive(0, 5000, 5, 1)), wait({1}), exit()};
}

// The request has 1 + 1000 bytes and takes 1 us more than L, the rest has 4000 bytes.
constexpr SimTime request = o_s + 1_us + L, rest = 3'999_ns;

TEST(Push, BringsTheFirstBytesWithTheRequest) {
  EXPECT_THAT(run(pushing_machine(1000), {sends(), receives()}),
              ElementsAre(request + L + rest, request + L + rest + L + o_r));
}

TEST(Push, OfALateReceiveWaitsForIt) {
  EXPECT_THAT(run(pushing_machine(1000), {sends(), receives(1_ms)}),
              ElementsAre(1_ms + L + rest, 1_ms + L + rest + L + o_r));
}

// The second push of 2000 bytes follows the request after g, long before the clearance is back; 2000 are
// left.
TEST(Push, OfASecondPartOverlapsTheClearance) {
  EXPECT_THAT(run(pushing_machine(1000, 2000), {sends(), receives()}),
              ElementsAre(request + L + 1'999_ns, request + L + 1'999_ns + L + o_r));
}

// The request keeps the interface for g + 1 us; then come 4000 bytes. Nothing is left to ask for.
TEST(Push, OfAllNeedsNoClearance) {
  const SimTime second = o_s + g + 1_us;
  EXPECT_THAT(run(pushing_machine(1000, 9000), {sends(), receives()}),
              ElementsAre(second + rest, second + rest + L + o_r));
  EXPECT_EQ(run(pushing_machine(1000, 9000), {sends(), receives(1_ms)}).at(1), 1_ms + o_r);
  EXPECT_EQ(run(pushing_machine(5000), {sends(), receives(1_ms)}).at(1), 1_ms + o_r);
}

// The request matches when it comes, and the acknowledgement is back before the second push is there.
TEST(Push, OfAllIsAcknowledgedToASynchronousSend) {
  EXPECT_THAT(run(pushing_machine(1000, 9000), {sends(SendMode::synchronous), receives()}),
              ElementsAre(request + L, o_s + g + 1_us + rest + L + o_r));
  EXPECT_THAT(run(pushing_machine(1000, 9000), {sends(SendMode::synchronous), receives(1_ms)}),
              ElementsAre(1_ms + L, 1_ms + o_r));
}

// Pushed bytes are copied by the libraries, at 1 and 2 ns; the others lie where they belong.
TEST(Push, IsCopiedByBothSides) {
  Machine machine = pushing_machine(1000);
  machine.messages.send_per_byte = ByteCost::from_fs(1'000'000);
  machine.messages.receive_per_byte = ByteCost::from_fs(2'000'000);
  EXPECT_EQ(run(std::move(machine), {sends(), receives()}).at(1), 1_us + request + L + rest + L + o_r + 2_us);
}

// In at 0.1 ns a byte for 1000 bytes, out again when the receive completes, and once for 4000.
TEST(Push, WithinAHostIsCopiedTwice) {
  Machine machine = logp_machine(2, 2);
  machine.messages.local_push = 1000_B;
  const SimTime matched = 200_ns + 100_ns + 50_ns;
  EXPECT_THAT(run(std::move(machine), {sends(), receives()}),
              ElementsAre(matched + 400_ns, matched + 400_ns + 200_ns + 100_ns));
}

Machine failing_machine(std::int64_t second, std::size_t failing, bool returned) {
  Machine machine = pushing_machine(1000, second);
  machine.transport = std::make_unique<FailingTransport>(*machine.events, failing, returned);
  return machine;
}

// The second push is the second shipment. Without it the message is not there.
TEST(Push, ThatIsLostOrComesBackLeavesItsReceiverWaiting) {
  for (const bool returned : {false, true}) {
    for (const std::int64_t second : {1000, 4000}) {
      SCOPED_TRACE(testing::Message() << returned << ' ' << second);
      Machine machine = failing_machine(second, 1, returned);
      ScriptedSource source({sends(), receives()});
      EXPECT_THROW(Engine(machine, source, {}).run(), Deadlock);
      EXPECT_TRUE(source.answers[1].empty());
    }
  }
}

// The send fails when its second push comes back. The receive of 1 ms has its request, which must not be
// acknowledged: rank 0's next request, which nobody meets, has the place of the send's.
TEST(Push, ThatComesBackEndsASynchronousSendOnce) {
  Machine machine = failing_machine(4000, 1, true);
  ScriptedSource source(
      {{send(1, 5000, 5, 1, SendMode::synchronous), wait({1}), receive(1, 8, 6, 2), wait({2}), exit()},
       {after(1_ms, receive(0, 5000, 5, 1)), exit()}});
  EXPECT_THROW(Engine(machine, source, {}).run(), Deadlock);
  ASSERT_EQ(source.answers[0].size(), 1U);
  EXPECT_EQ(source.answers[0][0].completed.at(0).outcome, Outcome::given_up);
}

// The second push of a lost request takes no room from the next message, which comes before its receive.
TEST(UnexpectedBuffer, HasNoRoomForPushesWithoutTheirRequest) {
  Machine machine = small_buffer(failing_machine(900, 0, false), 900);
  ScriptedSource source(
      {{send(1, 5000, 5, 1, SendMode::buffered), wait({1}), send(1, 80, 6, 2), wait({2}), exit()},
       {after(1_ms, receive(0, 80, 6, 1)), wait({1}), exit()}});
  EXPECT_EQ(Engine(machine, source, {}).run().at(1), 1_ms + o_r);
}

// Both ranks send first and receive then, which works where a send does not wait for its receive.
TEST(Push, OfAllLetsTheSenderGoOn) {
  const auto exchange = [](int other) {
    return std::vector<Operation>{send(other, 5000, 5, 1), wait({1}), receive(other, 5000, 5, 2), wait({2}),
                                  exit()};
  };
  for (const std::size_t ranks_per_host : {1U, 2U}) {
    Machine machine = logp_machine(2, ranks_per_host);
    machine.messages.push = machine.messages.local_push = 8192_B;
    EXPECT_NO_THROW(run(std::move(machine), {exchange(1), exchange(0)}));
  }
  EXPECT_NO_THROW(run(pushing_machine(1000, 4000), {exchange(1), exchange(0)}));
}

// The sender is free when the second push, which waits for g and 1 us, has left, whether there is room or
// not.
TEST(UnexpectedBuffer, IsNotTheSendersAffair) {
  for (const std::int64_t room : {0, 100'000}) {
    Machine machine = small_buffer(pushing_machine(1000, 20'000), room);
    EXPECT_EQ(run(std::move(machine), {{send(1, 21'000, 5, 1), wait({1}), exit()},
                                       {after(1_ms, receive(0, 21'000, 5, 1)), wait({1}), exit()}})
                  .at(0),
              o_s + g + 1_us + G.time_for(19'999_B));
  }
}

std::vector<Operation> sends_two(std::int64_t bytes) {
  return {send(1, bytes, 1, 1), send(1, bytes, 2, 2), wait({1, 2}), exit()};
}
std::vector<Operation> receives_two(SimTime at, std::int64_t bytes) {
  return {after(at, receive(0, bytes, 1, 1)), receive(0, bytes, 2, 2), wait({1}), wait({2}), exit()};
}

Machine small_machine(std::int64_t room, std::int64_t push = 0) {
  return small_buffer(pushing_machine(push), room);
}

// Of two messages of 80 bytes only one finds room. The other is asked for when its receive is posted, and
// does not wait for the first one.
TEST(UnexpectedBuffer, HasDroppedBytesSentAgainOnceTheyAreAskedFor) {
  const SimTime again = 1_ms + L + L + 79_ns;
  EXPECT_THAT(run(small_machine(100), {sends_two(80), receives_two(1_ms, 80)}),
              ElementsAre(o_s + o_s, again + o_r));
  EXPECT_THAT(run(small_machine(160), {sends_two(80), receives_two(1_ms, 80)}),
              ElementsAre(o_s + o_s, 1_ms + o_r + o_r));
}

TEST(UnexpectedBuffer, IsNotForWhatIsExpected) {
  // The messages come at o_s + L + 79 ns and g + 79 ns later.
  EXPECT_EQ(run(small_machine(0), {sends_two(80), receives_two(0_us, 80)}).at(1),
            o_s + L + 79_ns + g + 79_ns + o_r);
}

// The 1000 bytes that the request brought are dropped, and pulled with the 4000 others.
TEST(UnexpectedBuffer, DropsWhatARequestBrings) {
  EXPECT_EQ(run(small_machine(999, 1000), {sends(), receives(1_ms)}).at(1), 1_ms + L + 4'999_ns + L + o_r);
  EXPECT_EQ(run(small_machine(1000, 1000), {sends(), receives(1_ms)}).at(1), 1_ms + L + rest + L + o_r);
}

TEST(UnexpectedBuffer, DropsASecondPushAlone) {
  Machine machine = small_machine(1999, 1000);
  machine.messages.second_push = 1000_B;
  EXPECT_EQ(run(std::move(machine), {sends(), receives(1_ms)}).at(1), 1_ms + L + rest + L + o_r);
}

Machine random_machine(std::uint64_t seed) {
  RandomStream random(seed, "machines");
  const auto bytes = [&] { return Bytes(static_cast<std::int64_t>(random.below(6000))); };
  Machine machine = logp_machine(4, 2);
  machine.messages.eager_limit = bytes();
  machine.messages.push = bytes();
  machine.messages.second_push = bytes();
  machine.messages.local_push = bytes();
  if (random.chance(0.7)) machine.messages.unexpected_buffer = random.chance(0.3) ? Bytes() : bytes();
  return machine;
}

TEST(Push, BringsEveryMessageOnceAndInOrderWhateverThereIsRoomFor) {
  for (std::uint64_t seed = 1; seed <= 300; ++seed) {
    SCOPED_TRACE(seed);
    Machine plain = logp_machine(4, 2), pushing = random_machine(seed), again = random_machine(seed);
    ScriptedSource expected(random_scripts(seed)), source(random_scripts(seed)), live(random_scripts(seed));
    live.hesitate(seed);
    Engine(plain, expected, {}).run();
    Engine engine(pushing, source, {});
    const std::vector<SimTime> ends = engine.run();
    EXPECT_EQ(got(source), got(expected));
    EXPECT_EQ(engine.unreceived_messages(), 0U);
    EXPECT_EQ(Engine(again, live, {}).run(), ends);
  }
}

}  // namespace
}  // namespace morgana
