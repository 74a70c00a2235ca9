// What becomes of a program whose transport gives messages back. Messages of more than 4096 bytes go by
// rendezvous (logp_machine.h).

#include <gmock/gmock.h>

#include <tuple>

#include "emulator/engine/engine.h"
#include "tests/engine/returning_transport.h"
#include "tests/engine/scripted_source.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using namespace literals;
using namespace script;
using testing::ElementsAre;

constexpr SimTime trip = ReturningTransport::trip, patience = ReturningTransport::patience;

/// Gives back the message of that ordinal alone.
ReturningTransport::Choice only(std::size_t chosen) {
  return [chosen](const Shipment&, std::size_t ordinal) { return ordinal == chosen; };
}

/// Everything of host 0's.
bool from_host_0(const Shipment& shipment, std::size_t) {
  return shipment.from == HostId{0};
}

std::string deadlock_of(Engine& engine) {
  try {
    engine.run();
  } catch (const Deadlock& deadlock) {
    return deadlock.what();
  }
  ADD_FAILURE() << "ended";
  return {};
}

TEST(Returned, ARendezvousThatCannotBeAskedForEndsItsSend) {
  for (const Outcome why : {Outcome::unreachable, Outcome::refused, Outcome::given_up, Outcome::unstable}) {
    Machine machine = returning_machine(2, why, from_host_0);
    ScriptedSource source({{send(1, 5000, 7, 1), wait({1}), exit()}, {exit()}});
    Engine engine(machine, source, {});
    EXPECT_EQ(engine.run().at(0), o_s + patience);
    ASSERT_EQ(source.answers[0].size(), 1U);
    const Completed& sent = source.answers[0][0].completed.at(0);
    EXPECT_EQ(sent.outcome, why);
    EXPECT_EQ(sent.payload, 1007U) << "for the sender to give back";
    EXPECT_EQ(engine.returned_messages(), 1U);
    EXPECT_EQ(engine.lost_messages(), 0U);
  }
}

TEST(Returned, IsToldByTestsToo) {
  Machine machine = returning_machine(2, Outcome::given_up, from_host_0);
  ScriptedSource source(
      {{send(1, 5000, 7, 1), after(patience + 1_us, wait({1}, Completion::all, OperationKind::test)), exit()},
       {exit()}});
  Engine(machine, source, {}).run();
  EXPECT_EQ(source.answers[0].at(0).completed.at(0).outcome, Outcome::given_up);
}

TEST(Returned, ASynchronousSendEndsWhenItsMessageIs) {
  Machine machine = returning_machine(2, Outcome::given_up, from_host_0);
  ScriptedSource source({{send(1, 100, 7, 1, SendMode::synchronous), wait({1}), exit()}, {exit()}});
  EXPECT_EQ(Engine(machine, source, {}).run().at(0), o_s + patience);
  EXPECT_EQ(source.answers[0].at(0).completed.at(0).outcome, Outcome::given_up);
}

// The send was complete when the library had copied the message: nobody at host 0 waits for it.
TEST(Returned, AnEagerMessageIsMissedByItsReceiverAlone) {
  Machine machine = returning_machine(2, Outcome::given_up, from_host_0);
  ScriptedSource source(
      {{send(1, 100, 7, 1), wait({1}), exit()}, {receive(0, 200, 7, 1), wait({1}), exit()}});
  Engine engine(machine, source, {});
  expect_message(deadlock_of(engine),
                 {"rank 1: waits in MPI_Waitall", "from rank 0 with tag 7", "200 bytes", "given up",
                  "message of 100 bytes with tag 7 from rank 0 to rank 1", "0.000071000 s", "host 1"});
  EXPECT_EQ(source.answers[0].at(0).completed.at(0).outcome, Outcome::delivered);
}

// Request, clearance, data: the second one comes back to the receiver, who gets none of the message; the
// sender goes on waiting for the clearance.
TEST(Returned, AClearanceEndsTheReceiveThatHasMatched) {
  Machine machine = returning_machine(2, Outcome::unreachable, only(1));
  ScriptedSource source(
      {{send(1, 5000, 7, 1), wait({1}), exit()}, {receive(-1, 5000, -1, 1), wait({1}), exit()}});
  Engine engine(machine, source, {});
  expect_message(deadlock_of(engine), {"rank 0: waits in MPI_Waitall", "5000 bytes to rank 1 with tag 7",
                                       "unreachable", "rank 1: has ended"});
  const Answer& answer = source.answers[1].at(0);
  EXPECT_EQ(answer.clock, o_s + trip + patience);
  EXPECT_EQ(answer.completed.at(0).outcome, Outcome::unreachable);
  EXPECT_EQ(answer.completed.at(0).source, Rank{0});
  EXPECT_EQ(answer.completed.at(0).tag, Tag{7});
  EXPECT_EQ(answer.completed.at(0).bytes, 0_B);
  EXPECT_EQ(answer.completed.at(0).payload, 1007U);
}

// The receiver has its message and needs nothing more; only the sender waits to hear of it.
TEST(Returned, AnAcknowledgementLeavesTheReceiverContent) {
  Machine machine = returning_machine(2, Outcome::given_up, only(1));
  ScriptedSource source({{send(1, 100, 7, 1, SendMode::synchronous), wait({1}), exit()},
                         {receive(0, 100, 7, 1), wait({1}), exit()}});
  Engine engine(machine, source, {});
  expect_message(deadlock_of(engine),
                 {"rank 0: waits in MPI_Waitall", "100 bytes to rank 1 with tag 7", "acknowledgement"});
  EXPECT_EQ(source.answers[1].at(0).completed.at(0).outcome, Outcome::delivered);
  EXPECT_EQ(source.answers[1].at(0).completed.at(0).bytes, 100_B);
}

TEST(Returned, ACollectiveIsOverForTheRankWhoseMessageItIs) {
  Machine machine = returning_machine(2, Outcome::given_up, from_host_0);
  ScriptedSource source({{collective(CollectiveKind::broadcast, 5000, 1), wait({1}), exit()},
                         {collective(CollectiveKind::broadcast, 5000, 1), wait({1}), exit()}});
  Engine engine(machine, source, {});
  expect_message(deadlock_of(engine), {"rank 0: has ended", "rank 1: waits in MPI_Waitall",
                                       "MPI_COMM_WORLD in MPI_Bcast", "given up"});
  EXPECT_EQ(source.answers[0].at(0).completed.at(0).outcome, Outcome::given_up);
  EXPECT_EQ(source.answers[0].at(0).clock, o_s + patience);
}

Operation one_sided(OperationKind kind, std::uint64_t request) {
  Operation o = plain(kind);
  o.call = Call::MPI_Put;
  o.peer = Rank{1};
  o.context = Context{7};
  o.request = RequestId{request};
  o.bytes = 100_B;
  return o;
}

TEST(Returned, AnAccessEndsWithoutHavingTakenPlace) {
  for (const OperationKind kind : {OperationKind::access, OperationKind::lock, OperationKind::unlock}) {
    Machine machine = returning_machine(2, Outcome::refused, only(0));
    ScriptedSource source({{one_sided(kind, 1), wait({1}), exit()}, {exit()}});
    EXPECT_EQ(Engine(machine, source, {}).run().at(0), o_s + patience);
    EXPECT_EQ(source.answers[0].at(0).completed.at(0).outcome, Outcome::refused);
  }
}

TEST(Returned, AnAccessWhoseAnswerIsReturnedNeverEnds) {
  Machine machine = returning_machine(2, Outcome::given_up, only(1));
  ScriptedSource source({{one_sided(OperationKind::access, 1), wait({1}), exit()}, {exit()}});
  Engine engine(machine, source, {});
  expect_message(deadlock_of(engine), {"of 0 bytes from rank 0 to rank 1", "0.000081000 s"});
}

/// Keeps what nobody else would tell the ranks.
class ToldSource : public ScriptedSource {
 public:
  using ScriptedSource::ScriptedSource;
  void returned(Rank rank, const Operation& operation, Outcome why) override {
    told.emplace_back(rank, operation.kind, why);
  }
  std::vector<std::tuple<Rank, OperationKind, Outcome>> told;
};

TEST(Returned, IsToldTheSourceWhereTheRankWantsNoAnswer) {
  Machine machine = returning_machine(2, Outcome::given_up, from_host_0);
  Operation unanswered = wait({1});
  unanswered.wants_answer = false;
  ToldSource source({{send(1, 5000, 7, 1), unanswered, send(1, 5000, 7, 2), wait({2}), exit()}, {exit()}});
  Engine(machine, source, {}).run();
  EXPECT_THAT(source.told, ElementsAre(std::tuple(Rank{0}, OperationKind::wait, Outcome::given_up)));
}

// What the protocol could not carry decides what the deadlock is called; what was given up does not.
TEST(Returned, ADeadlockByALoadThatIsTooMuchIsCalledUnstable) {
  for (const Outcome why : {Outcome::given_up, Outcome::unstable}) {
    Machine machine = returning_machine(2, why, only(0));
    ScriptedSource source({{send(1, 10, 7, 1), exit()}, {receive(0, 10, 7, 1), wait({1}), exit()}});
    Engine engine(machine, source, {});
    try {
      engine.run();
      ADD_FAILURE() << "no deadlock";
    } catch (const Deadlock& deadlock) {
      EXPECT_EQ(deadlock.unstable().empty(), why == Outcome::given_up);
      EXPECT_EQ(std::string(deadlock.what()).starts_with(deadlock.unstable() + '\n'),
                why == Outcome::unstable);
    }
    EXPECT_EQ(engine.unstable().empty(), why == Outcome::given_up);
  }
}

TEST(Returned, TheRunGoesOnWithOtherMessages) {
  Machine machine = returning_machine(2, Outcome::given_up, only(0));
  ScriptedSource source({{send(1, 5000, 7, 1), wait({1}), send(1, 5000, 7, 2), wait({2}), exit()},
                         {receive(0, 5000, 7, 1), wait({1}), exit()}});
  Engine engine(machine, source, {});
  // Request, clearance and data of the second message follow; its receiver completes with its overhead.
  EXPECT_THAT(engine.run(), ElementsAre(o_s + patience + o_s + trip + trip + trip,
                                        o_s + patience + o_s + trip + trip + trip + o_r));
  EXPECT_EQ(source.answers[1].at(0).completed.at(0).bytes, 5000_B);
}

}  // namespace
}  // namespace morgana
