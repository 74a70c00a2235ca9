// Push-pull messaging in hand-calculated times (push_pull_machine.h). A frame takes 26 B and its payload, at
// least 46 B, of 80 ns each, and 25 ns along the cable: 5.785 us for the shortest, `wire(n)` for a payload of
// n.

#include <gmock/gmock.h>

#include <algorithm>
#include <functional>

#include "emulator/engine/engine.h"
#include "emulator/messaging/kernel/push_pull_states.h"
#include "tests/engine/push_pull_machine.h"
#include "tests/engine/push_pull_scripts.h"
#include "tests/engine/random_messages.h"
#include "tests/engine/scripted_source.h"
#include "tests/support/effort.h"
#include "tests/transport/lossy_network.h"

namespace morgana {
namespace {

using namespace literals;
using namespace push_pull_scripts;
using namespace script;
using ::testing::ElementsAre;

constexpr SimTime wire(std::int64_t payload) {
  return SimTime::from_ps((26 + std::max<std::int64_t>(payload, 46)) * 80'000 + 25'000);
}
constexpr SimTime call = 1_us, launch = 3_us, handler = 12_us;
/// A system call, and 5 us for a page of 4096 B in proportion.
constexpr SimTime address(std::int64_t bytes) {
  return SimTime::from_ps(1'000'000 + 5'000'000 * bytes / 4096);
}

// What is pushed whole has no pull behind which its translation could be hidden: the sender's call has the
// addresses translated, and then brings the push to the interface.
TEST(PushPull, BringsAShortMessageInOnePush) {
  for (const auto translation : {KernelMessages::Translation::masked, KernelMessages::Translation::first}) {
    PushPullCase one;
    one.translation = translation;
    const SimTime pushed = address(50) + call + launch;
    EXPECT_THAT(run(one.machine(), {sends(1, 50), receives(0, 50)}),
                ElementsAre(pushed, pushed + wire(50) + handler + call));
  }
}

// Up to both pushes there is one piece. A second one would come 3 us and its own frame later.
TEST(PushPull, SplitsNoMessageThatIsPushedWhole) {
  PushPullCase two;
  two.second_push = 100;
  for (const std::int64_t bytes : {99, 101, 200}) {
    const SimTime pushed = address(bytes) + call + launch;
    EXPECT_THAT(run(two.machine(), {sends(1, bytes), receives(0, bytes)}),
                ElementsAre(pushed, pushed + wire(bytes) + handler + call))
        << bytes;
  }
}

// Translation first: nothing leaves before.
TEST(PushPull, WaitsForTheAddressesWhereTheyAreNotMasked) {
  PushPullCase unmasked;
  unmasked.translation = KernelMessages::Translation::first;
  const SimTime pushed = address(1100) + call + launch + wire(100) + handler;
  const SimTime served = pushed + launch + wire(20) + handler + launch;
  EXPECT_THAT(run(unmasked.machine(), {sends(1, 1100), receives(0, 1100)}),
              ElementsAre(served, served + wire(1000) + handler + call));
}

// The handler asks for the other 1000 B as soon as it has the push, and the sender's handler sends them.
TEST(PushPull, PullsTheRestOfAnEarlyReceive) {
  const SimTime pushed = call + launch + wire(100) + handler;
  const SimTime served = pushed + launch + wire(20) + handler + launch;
  EXPECT_THAT(run(PushPullCase().machine(), {sends(1, 1100), receives(0, 1100)}),
              ElementsAre(served, served + wire(1000) + handler + call));
}

// The receiving process asks itself, and nothing interrupts it for that.
TEST(PushPull, PullsTheRestOfALateReceive) {
  const SimTime served = 1_ms + launch + wire(20) + handler + launch;
  EXPECT_THAT(run(PushPullCase().machine(), {sends(1, 1100), receives(0, 1100, 1_ms)}),
              ElementsAre(served, served + wire(1000) + handler + call));
}

// The push has been at the interface for long when the receiving rank calls its library and looks; the
// sender, who waits, looks all the time. Nobody is interrupted, and the handlers' 2 us are the ranks' own.
TEST(PushPull, WaitsForACallWhereHostsPoll) {
  PushPullCase polling;
  polling.polls = true;
  const SimTime handled = 2_us;
  const SimTime served = 1_ms + handled + launch + wire(20) + handled + launch;
  EXPECT_THAT(run(polling.machine(), {sends(1, 1100), receives(0, 1100, 1_ms)}),
              ElementsAre(served, served + wire(1000) + handled + call));
}

// The request has come when the sender computes, and is served when that calls its library again.
TEST(PushPull, ServesNoRequestWhileItsSenderComputesWhereHostsPoll) {
  PushPullCase polling;
  polling.polls = true;
  const SimTime handled = 2_us;
  const SimTime served = call + launch + address(1100) + 1_ms + handled + launch;
  EXPECT_THAT(
      run(polling.machine(), {{send(1, 1100, 5, 1), after(1_ms, wait({1})), exit()}, receives(0, 1100)}),
      ElementsAre(served, served + wire(1000) + handled + call));
}

// A buffered send's rank has ended before the rest is asked for: the idle kernel looks.
TEST(PushPull, ServesWhatAnEndedRankHasLeftWhereHostsPoll) {
  PushPullCase polling;
  polling.polls = true;
  const SimTime handled = 2_us;
  const SimTime served = 1_ms + handled + launch + wire(20) + handled + launch;
  const std::vector<SimTime> ends =
      run(polling.machine(), {sends(1, 1100, SendMode::buffered), receives(0, 1100, 1_ms)});
  EXPECT_LT(ends.at(0), 1_ms);
  EXPECT_EQ(ends.at(1), served + wire(1000) + handled + call);
}

// The second push is on the wire while the request is: it is launched 3 us after the first, follows it by the
// first one's frame and a gap of 0.96 us, and is received before the request is answered.
TEST(PushPull, OverlapsTheSecondPushWithTheRequest) {
  PushPullCase two;
  two.second_push = 100;
  const SimTime pushed = call + launch + wire(100) + handler;
  const SimTime served = pushed + launch + wire(20) + handler + launch;
  EXPECT_THAT(run(two.machine(), {sends(1, 1200), receives(0, 1200)}),
              ElementsAre(served, served + wire(1000) + handler + call));
}

// Two frames of 1500 B, and one slot: the second frame is dropped when it comes. The first is acknowledged
// after 10 ms; 50 ms after that has come, the second goes out again, and its receive has been there for long.
TEST(PushPull, BringsAgainWhatFoundNoRoom) {
  PushPullCase all;
  all.eager_limit = 1 << 20;
  all.pushed_buffer = 2048;
  const SimTime acknowledged =
      address(3000) + call + launch + wire(1500) + handler + 10_ms + launch + wire(0) + handler;
  const SimTime again = acknowledged + 50_ms + launch + wire(1500) + handler;
  EXPECT_EQ(run(all.machine(), {sends(1, 3000), receives(0, 3000, 1_ms)}).at(1), again + call);
  all.pushed_buffer = 4096;
  EXPECT_EQ(run(all.machine(), {sends(1, 3000), receives(0, 3000, 1_ms)}).at(1), 1_ms + call);
}

// The second push finds its slot taken by the first. The late receive asks for it with the rest, and nobody
// waits for the time-out. When the push comes once more it is thrown away, and the next message has its turn.
TEST(PushPull, AsksForWhatFoundNoRoom) {
  PushPullCase two;
  two.second_push = 100;
  two.pushed_buffer = two.slot = 100;
  const auto taken = [&](SimTime asked, std::int64_t pulled) {
    return asked + launch + wire(20) + handler + launch + wire(pulled) + handler + call;
  };
  EXPECT_EQ(run(two.machine(), {sends(1, 1200), receives(0, 1200, 1_ms)}).at(1), taken(1_ms, 1100));
  two.pushed_buffer = 200;
  EXPECT_EQ(run(two.machine(), {sends(1, 1200), receives(0, 1200, 1_ms)}).at(1), taken(1_ms, 1000));
  two.pushed_buffer = 100;
  Machine machine = two.machine();
  ScriptedSource source(
      {{send(1, 1200, 5, 1), wait({1}), after(200_ms, send(1, 1200, 5, 2)), wait({2}), exit()},
       {after(1_ms, receive(0, 1200, 5, 1)), wait({1}), after(300_ms, receive(0, 1200, 5, 2)), wait({2}),
        exit()}});
  Engine engine(machine, source, {});
  // Two acknowledgements are launched on the processor on which the receiver computes.
  EXPECT_EQ(engine.run().at(1), taken(taken(1_ms, 1100) + 300_ms + 2 * launch, 1100));
  EXPECT_EQ(machine.kernel_message_counters.slots_taken, 0);
}

// Another message has the only slot, so that nothing of this one is there: all of it is pulled.
TEST(PushPull, AsksForAllWhereNothingFoundRoom) {
  PushPullCase one;
  one.pushed_buffer = 2048;
  const std::vector<SimTime> ends =
      run(one.machine(),
          {{send(1, 50, 6, 1), send(1, 1100, 5, 2), wait({1, 2}), exit()},
           {after(1_ms, receive(0, 1100, 5, 1)), wait({1}), receive(0, 50, 6, 2), wait({2}), exit()}});
  EXPECT_EQ(ends.at(1), 1_ms + launch + wire(20) + handler + launch + wire(1100) + handler + call + call);
}

// A push of three frames, of which the first finds a slot.
TEST(PushPull, AsksForTheFramesOfAPushThatFoundNoRoom) {
  PushPullCase one;
  one.push = 4000;
  one.pushed_buffer = 2048;
  const SimTime served = 1_ms + launch + wire(20) + handler + launch;
  const SimTime gap = SimTime::from_ps(960'000), frame = wire(1500) + gap;
  // 3500 B: frames of 1500, 1500 and 500 B, each interrupting on its own but the last, which comes 43 us
  // later.
  EXPECT_EQ(run(one.machine(), {sends(1, 5000), receives(0, 5000, 1_ms)}).at(1),
            served + 2 * (frame - SimTime::from_ps(25'000)) + wire(500) + handler + call);
}

// A unit takes as many slots as its bytes need.
TEST(PushPull, PutsAUnitIntoSeveralSlots) {
  PushPullCase all;
  all.eager_limit = 1 << 20;
  all.slot = 500;
  all.pushed_buffer = 1500;
  EXPECT_EQ(run(all.machine(), {sends(1, 1500), receives(0, 1500, 1_ms)}).at(1), 1_ms + call);
  all.pushed_buffer = 1499;  // two slots
  EXPECT_GT(run(all.machine(), {sends(1, 1500), receives(0, 1500, 1_ms)}).at(1), 50_ms);
  EXPECT_EQ(run(all.machine(), {sends(1, 1000), receives(0, 1000, 1_ms)}).at(1), 1_ms + call);
}

// As BringsAgainWhatFoundNoRoom, but the receive comes when the second frame has been refused twice: every 50
// ms it comes again.
TEST(PushPull, BringsAgainWhatFoundNoRoomAtAnEvenPace) {
  PushPullCase all;
  all.eager_limit = 1 << 20;
  all.pushed_buffer = 2048;
  const SimTime acknowledged =
      address(3000) + call + launch + wire(1500) + handler + 10_ms + launch + wire(0) + handler;
  const SimTime pace = 50_ms + launch;  // the time-out runs from when the frame is at the interface
  const SimTime fourth = acknowledged + pace * 4 + wire(1500) + handler;
  EXPECT_EQ(run(all.machine(), {sends(1, 3000), receives(0, 3000, 200_ms)}).at(1), fourth + call);
}

// Whoever waits for another message gets it, and a probe finds what has no room.
TEST(PushPull, LetsOtherMessagesPassWhatFoundNoRoom) {
  PushPullCase all;
  all.eager_limit = 1 << 20;
  all.pushed_buffer = 2048;
  Operation probe = receive(0, 0, 6, 0);
  probe.kind = OperationKind::probe;
  probe.call = Call::MPI_Probe;
  const std::vector<SimTime> ends =
      run(all.machine(),
          {{send(1, 1500, 5, 1), send(1, 1500, 6, 2), send(1, 1500, 7, 3), wait({1, 2, 3}), exit()},
           {probe, receive(0, 1500, 7, 1), wait({1}), receive(0, 1500, 6, 2), wait({2}),
            receive(0, 1500, 5, 3), wait({3}), exit()}});
  EXPECT_LT(ends.at(1), 110_ms);
}

// What nobody receives is repeated while the program runs, and no longer.
TEST(PushPull, EndsWhateverHasNoRoom) {
  PushPullCase all;
  all.eager_limit = 1 << 20;
  all.pushed_buffer = 2048;
  Machine machine = all.machine();
  ScriptedSource source({{send(1, 3000, 5, 1), wait({1}), exit()}, {after(10'000_ms, exit())}});
  Engine engine(machine, source, {});
  EXPECT_EQ(engine.run().at(1), 10'000_ms);
  EXPECT_EQ(engine.unreceived_messages(), 1U);
  EXPECT_LT(machine.events->now(), 10'200_ms);
}

TEST(PushPull, IsADeadlockWhereOnlyRepetitionsGoOn) {
  PushPullCase all;
  all.eager_limit = 1 << 20;
  all.pushed_buffer = 2048;
  Machine machine = all.machine();
  ScriptedSource source({{send(1, 3000, 5, 1), receive(1, 8, 9, 2), wait({1, 2}), exit()},
                         {receive(0, 8, 9, 1), wait({1}), exit()}});
  EXPECT_THROW(Engine(machine, source, {}).run(), Deadlock);
}

// A frame has room for 1500 B, of which the header takes 8 and the envelope of the message 4.
TEST(PushPull, LaunchesAUnitForEachFrameHeadersIncluded) {
  PushPullCase all;
  all.eager_limit = 1 << 20;
  all.header = 8;
  all.envelope = 4;
  const auto launched = [&all](std::int64_t bytes) {
    return run(all.machine(), {sends(1, bytes), receives(0, bytes)})[0] - address(bytes);
  };
  EXPECT_EQ(launched(1488), call + launch);
  EXPECT_EQ(launched(1489), call + 2 * launch);
  EXPECT_EQ(launched(1488 + 1492), call + 2 * launch);
  EXPECT_EQ(launched(1488 + 1493), call + 3 * launch);
}

// The second frame of 3000 B finds no room, and is lost from then on: it is given up, and whoever waits for
// the message waits for ever, whether its receive comes before that or after. What another rank pushes in
// vain keeps nothing going.
class GivenUp : public ::testing::TestWithParam<SimTime> {};
INSTANTIATE_TEST_SUITE_P(Before, GivenUp, ::testing::Values(1_ms));
INSTANTIATE_TEST_SUITE_P(After, GivenUp, ::testing::Values(1000_s));

TEST_P(GivenUp, IsADeadlockWhereWhatWasRefusedIs) {
  PushPullCase all;
  all.host_of = {HostId{0}, HostId{0}, HostId{1}};
  all.eager_limit = 1 << 20;
  all.pushed_buffer = 2048;
  all.tries = 2;
  auto events = std::make_unique<EventQueue>();
  auto network = std::make_unique<testing::LossyNetwork>(
      *events, 2,
      [frames = 0](const Unit& unit, std::uint64_t) mutable { return unit.size == 1500_B && ++frames > 2; });
  Machine machine = all.machine(std::move(network), std::move(events));
  ScriptedSource source({{send(2, 3000, 5, 1), wait({1}), exit()},
                         {after(100_us, send(2, 100, 6, 1)), send(2, 100, 7, 2), wait({1, 2}), exit()},
                         receives(0, 3000, GetParam())});
  EXPECT_THROW(Engine(machine, source, {}).run(), Deadlock);
}

// Both receives are posted at 11 us, after their addresses are known; both senders' are at 13.5 us. Then the
// receivers enter the kernel again and copy two pages each, of 4.096 us, and the bus serves them in turn.
TEST(PushPull, SharesTheBusAmongTheCopiesOfAHost) {
  PushPullCase local;
  local.host_of.assign(4, HostId{0});
  local.bus.copy = local.bus.occupancy = ByteCost::from_fs(1'000'000);
  const SimTime begin = 2_us + 500_ns + 11_us + 1_us, page = 4'096_ns;
  EXPECT_THAT(run(local.machine(), {sends(1, 8192), receives(0, 8192), sends(3, 8192), receives(2, 8192)}),
              ElementsAre(begin + 3 * page + 500_ns, begin + 3 * page + 2_us, begin + 4 * page + 500_ns,
                          begin + 4 * page + 2_us));
}

// The receive is there first: the sender enters the kernel again and copies, once, and nobody's addresses but
// the receiver's matter.
TEST(PushPull, WithinAHostTheLaterPartyCopies) {
  PushPullCase local;
  local.host_of.assign(2, HostId{0});
  local.bus.cache = Bytes(1 << 20);
  local.bus.occupancy = ByteCost::from_fs(1);
  local.bus.cached_copy = ByteCost::from_fs(1'000'000);
  Machine machine = local.machine();
  std::vector<Operation> late = sends(1, 1000);
  late.front().elapsed = 100_us;
  const SimTime copied = 100_us + 2_us + 500_ns + 1_us + 1_us;
  EXPECT_THAT(run(std::move(machine), {late, receives(0, 1000)}),
              ElementsAre(copied, copied + 500_ns + 2_us));
}

// To a receive that is there. What is pushed whole has its addresses translated first, 5 us a page; what is
// pulled takes another system call, 1 us. With 820 B they take the same, to a nanosecond.
TEST(PushPull, WithinAHostAShortPushIsFasterThanAPullAndALongOneSlower) {
  PushPullCase pulled;
  pulled.host_of.assign(2, HostId{0});
  PushPullCase pushed = pulled;
  pushed.local_eager_limit = 1 << 20;
  const auto received = [](const PushPullCase& one, std::int64_t bytes) {
    std::vector<Operation> late = sends(1, bytes);
    late.front().elapsed = 100_us;
    return run(one.machine(), {late, receives(0, bytes)}).at(1) - 100_us;
  };
  const SimTime least = 2_us + 500_ns + 500_ns + 2_us;
  for (const std::int64_t bytes : {1, 10, 810, 830, 4096, 4097, 10000}) {
    EXPECT_EQ(received(pulled, bytes), least + 1_us) << bytes;
    EXPECT_EQ(received(pushed, bytes), least + address(bytes) - 1_us) << bytes;
  }
  pulled.local_push = 16;  // pushed whole, up to here
  EXPECT_EQ(received(pulled, 16), received(pushed, 16));
  EXPECT_EQ(received(pulled, 17), least + 1_us + address(16) - 1_us);
}

// Pushed whole into the pushed buffer (1 us), when its addresses are known, and out again when the receive
// comes (1 us).
TEST(PushPull, WithinAHostWhatIsPushedIsCopiedTwice) {
  PushPullCase local;
  local.host_of.assign(2, HostId{0});
  local.local_eager_limit = 1 << 20;
  local.bus.cache = Bytes(1 << 20);
  local.bus.occupancy = ByteCost::from_fs(1);
  local.bus.cached_copy = ByteCost::from_fs(1'000'000);
  EXPECT_THAT(run(local.machine(), {sends(1, 1000), receives(0, 1000, 100_us)}),
              ElementsAre(address(1000) - 1_us + 2_us + 500_ns + 1_us, 100_us + 1_us + 2_us));
}

TEST(PushPullStates, ChangeAsTheirListsSay) {
  push_pull::Progress<push_pull::Sender> sender;
  for (const auto next : {push_pull::Sender::registered, push_pull::Sender::push1, push_pull::Sender::push2,
                          push_pull::Sender::wait_req, push_pull::Sender::pulling, push_pull::Sender::done})
    sender.enter(next);
  EXPECT_THROW(sender.enter(push_pull::Sender::push1), std::logic_error);
  push_pull::Progress<push_pull::Receiver> receiver;
  EXPECT_THROW(receiver.enter(push_pull::Receiver::req_sent), std::logic_error);
  for (const auto next : {push_pull::Receiver::buffered, push_pull::Receiver::req_sent,
                          push_pull::Receiver::pulling, push_pull::Receiver::done})
    receiver.enter(next);
  EXPECT_THROW(receiver.enter(push_pull::Receiver::posted), std::logic_error);
}

TEST(PushPull, BringsEveryMessageOnceAndInOrderWhateverIsLost) {
  const auto cases = static_cast<std::uint64_t>(random_cases(300));
  KernelMessageCounters reached;
  std::uint64_t full = 0;  // cases in which some pushed buffer was
  for (std::uint64_t seed = 1; seed <= cases; ++seed) {
    SCOPED_TRACE(seed);
    const double share = static_cast<double>(seed % 7) / 10;
    const auto machine = [&] {
      return lossy_machine(random_case(seed),
                           [share, random = RandomStream(seed, "losses")](
                               const Unit&, std::uint64_t) mutable { return random.chance(share); });
    };
    Machine plain = logp_machine(4, 2), pushing = machine(), again = machine();
    ScriptedSource expected(random_scripts(seed)), source(random_scripts(seed)), live(random_scripts(seed));
    live.hesitate(seed);
    Engine(plain, expected, {}).run();
    Engine engine(pushing, source, {});
    const std::vector<SimTime> ends = engine.run();
    EXPECT_EQ(got(source), got(expected));
    EXPECT_EQ(engine.unreceived_messages(), 0U);
    EXPECT_EQ(Engine(again, live, {}).run(), ends);
    const KernelMessageCounters& counted = pushing.kernel_message_counters;
    std::ranges::transform(counted.sender, reached.sender, reached.sender.begin(), std::plus());
    std::ranges::transform(counted.receiver, reached.receiver, reached.receiver.begin(), std::plus());
    EXPECT_EQ(counted.sender[static_cast<std::size_t>(push_pull::Sender::done)], 60);
    EXPECT_EQ(counted.receiver[static_cast<std::size_t>(push_pull::Receiver::done)], 60);
    const std::int64_t slots = random_case(seed).pushed_buffer / random_case(seed).slot;
    EXPECT_LE(counted.most_slots_taken, slots);
    EXPECT_EQ(counted.slots_taken, 0);
    full += counted.most_slots_taken == slots ? 1 : 0;
  }
  EXPECT_GT(full, cases / 2);  // so that their limit is tried
  // Nobody enters the states in which messages begin.
  for (std::size_t state = 1; state < reached.sender.size(); ++state)
    EXPECT_GT(reached.sender[state], 0) << push_pull::names_of_sender[state];
  for (std::size_t state = 1; state < reached.receiver.size(); ++state)
    EXPECT_GT(reached.receiver[state], 0) << push_pull::names_of_receiver[state];
}

// Two messages, each shorter or longer than what is pushed, whose receives come before, between and after
// them, and any one of the units on their way lost.
TEST(PushPull, BringsTwoMessagesInOrderWhicheverUnitIsLost) {
  for (const std::int64_t first : {50, 300, 4000})
    for (const std::int64_t second : {60, 1100})
      for (const SimTime at : {0_us, 20_us, 60_us, 400_us})
        for (const SimTime gap : {0_us, 30_us, 300_us})
          for (const std::int64_t eager : {0, 1 << 20})
            for (std::uint64_t lost = 0; lost < 14; ++lost) {
              SCOPED_TRACE(::testing::Message() << first << " and " << second << " B, received at " << at.ps()
                                                << " + " << gap.ps() << " ps, unit " << lost << " lost");
              PushPullCase one;
              one.pushed_buffer = 2048;
              one.second_push = 150;
              one.eager_limit = eager;
              Machine machine = lossy_machine(one, [lost](const Unit& unit, std::uint64_t ordinal) {
                return ordinal * 2 + static_cast<std::uint64_t>(unit.from) == lost;
              });
              ScriptedSource source({{send(1, first, 7, 1), send(1, second, 7, 2), wait({1, 2}), exit()},
                                     {after(at, receive(0, 1 << 13, 7, 1)),
                                      after(gap, receive(0, 1 << 13, 7, 2)), wait({1, 2}), exit()}});
              Engine engine(machine, source, {});
              engine.run();
              const std::vector<Completed>& received = source.answers[1].at(0).completed;
              EXPECT_EQ(received.at(0).bytes, Bytes(first));
              EXPECT_EQ(received.at(1).bytes, Bytes(second));
              EXPECT_EQ(engine.returned_messages() + engine.unreceived_messages(), 0U);
            }
}

}  // namespace
}  // namespace morgana
