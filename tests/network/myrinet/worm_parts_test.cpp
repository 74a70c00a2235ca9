// The parts of a Myrinet network, each without those above it. Times by hand, in picoseconds: a flit lasts
// 10, a cable 25, a control symbol 7.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "emulator/network/myrinet/packet_fates.h"
#include "emulator/network/myrinet/send_queues.h"
#include "emulator/network/myrinet/senders.h"
#include "emulator/network/myrinet/transit_pool.h"
#include "emulator/network/myrinet/waiting_inputs.h"
#include "emulator/topology/switch_graph.h"

namespace morgana::myrinet {
namespace {

/// Writes down what happens, and does nothing.
class EventLog : public EventHandler {
 public:
  struct Entry {
    Time at;
    WormEvent what;
    Index index;
    bool operator==(const Entry&) const = default;
  };
  void handle(std::uint64_t event) override {
    happened.push_back({queue.now().ps(), Agenda::what(event), Agenda::index(event)});
  }
  /// Until then, that instant included.
  void pass(Time until) {
    queue.schedule(SimTime::from_ps(until), clock_);
    while (!queue.empty() && queue.next_time().ps() <= until) queue.handle_next();
  }

  EventQueue queue;
  std::vector<Entry> happened;

 private:
  struct : EventHandler {
    void handle(std::uint64_t) override {}
  } clock_;
};

/// Two hosts at ports 0 and 1 of a switch with three ports. Channels: 0 and 1 lead to the hosts, 2 nowhere, 3
/// and 4 from the hosts to the switch.
SwitchGraph pair_of_hosts() {
  SwitchGraph graph;
  graph.add_switch(3);
  graph.add_host(SwitchPort{0, 0});
  graph.add_host(SwitchPort{0, 1});
  return graph;
}

struct WormParts : testing::Test {
  static constexpr Index to_host = 0, from_host = 3;
  static MyrinetParameters few() {
    MyrinetParameters parameters;
    parameters.control = SimTime::from_ps(7);
    parameters.stop_above = 3;
    parameters.go_below = 2;
    parameters.slack = 20;
    return parameters;
  }
  Index a_passage(Count length) {
    return packets.add_passage(packets.add({UnitId{1}, PortId{0}, PortId{1}, Bytes(0)}, {}), 0, length, 0);
  }

  EventLog log;
  Agenda agenda{log.queue, log};
  WormChannels channels{pair_of_hosts()};
  PacketStore packets{1};
  FlitRuns runs{agenda, channels.count(), 10, 25};
  DeadlockTimers timers{agenda, packets, runs, 1, 1000};
  SlackBuffers slack{agenda, channels.all(), packets, runs, timers, few()};
};

TEST_F(WormParts, ChannelsEndWhereTheGraphSays) {
  const SwitchGraph graph = pair_of_hosts();
  for (const Index channel : {0U, 1U, 3U, 4U}) EXPECT_EQ(channels.describe(channel), graph.describe(channel));
  EXPECT_EQ(channels[2].at, none);
  EXPECT_EQ(channels.input_at(1), channels.host_channel(1));
  EXPECT_EQ(channels.input_at(2), none);
  EXPECT_EQ(channels.arriving(1), 1U);
  EXPECT_TRUE(channels.is_sink(channels.sink_of(4)));
  EXPECT_FALSE(channels.sent_from_host(2));
}

TEST_F(WormParts, AFlitArrivesOneCableAfterItsStart) {
  runs.remember(0, 0, 0, 5);
  EXPECT_EQ(runs.arrival(0, 0), 25);
  EXPECT_EQ(runs.arrival(0, 4), 65);
  EXPECT_EQ(runs.arrival(0, 5), never);
  log.pass(24);
  EXPECT_EQ(runs.arrived(0), 0);
  log.pass(25);
  EXPECT_EQ(runs.arrived(0), 1);
  log.pass(64);
  EXPECT_EQ(runs.arrived(0), 4);
  log.pass(1000);
  EXPECT_EQ(runs.arrived(0), 5);
}

// The second run's first flit is there at 125. Taken from 100 on, the third flit would be due at 120; from
// 105 on at 125.
TEST_F(WormParts, ARunThatComesTooLateIsNotThereInTime) {
  runs.remember(0, 0, 0, 2);
  log.pass(100);
  runs.remember(0, 100, 2, 4);
  EXPECT_EQ(runs.arrival(0, 3), 135);
  EXPECT_EQ(runs.there_in_time(0, 0, 4), 2);
  log.pass(105);
  EXPECT_EQ(runs.there_in_time(0, 0, 4), 4);
}

TEST_F(WormParts, ARunThatIsCutBringsNoFurtherFlits) {
  runs.remember(0, 0, 0, 5);
  runs.end_last(0, 2);
  EXPECT_EQ(runs.arrival(0, 2), never);
  runs.end_last(0, 0);
  EXPECT_EQ(runs.arrival(0, 0), never);
  log.pass(1000);
  EXPECT_EQ(runs.arrived(0), 0);
}

TEST_F(WormParts, ATimerExpiresForTheFirstThatIsBlocked) {
  timers.arm(0, 50);
  timers.arm(0, 80);
  timers.arm(0, 20);
  log.pass(1020);
  EXPECT_EQ(log.happened, (std::vector<EventLog::Entry>{{1020, WormEvent::patience_ends, 0}}));
  EXPECT_TRUE(timers.expires_now(0));
  timers.disarm(0);
  EXPECT_FALSE(timers.expires_now(0));
}

TEST_F(WormParts, AHeaderIsOverdueWhenItsTimeIsUp) {
  Channel& input = channels.all()[from_host];
  input.input = Input::waiting;
  input.requested_at = 5;
  log.pass(1004);
  EXPECT_FALSE(timers.overdue(input));
  log.pass(1005);
  EXPECT_TRUE(timers.overdue(input));
}

// Flits are there at 25, 35, 45 and, the fourth, at 55: more than three. The stop takes 7.
TEST_F(WormParts, ABufferAboveItsThresholdSendsAStop) {
  Channel& input = channels.all()[from_host];
  packets.append(input, a_passage(100));
  input.input = Input::waiting;
  runs.remember(from_host, 0, 0, 100);
  slack.watch(from_host);
  log.pass(55);
  ASSERT_EQ(log.happened, (std::vector<EventLog::Entry>{{55, WormEvent::thresholds_are_checked, from_host}}));
  slack.check(from_host);
  EXPECT_TRUE(input.stop_sent);
  log.pass(62);
  EXPECT_EQ(log.happened.back(), (EventLog::Entry{62, WormEvent::stop_arrives, from_host}));
}

TEST_F(WormParts, ABufferThatHoldsNoMoreThanItsThresholdSendsNothing) {
  Channel& input = channels.all()[from_host];
  packets.append(input, a_passage(3));
  input.input = Input::waiting;
  runs.remember(from_host, 0, 0, 3);
  slack.watch(from_host);
  log.pass(500);
  EXPECT_TRUE(log.happened.empty());
}

struct SentPassages : SenderListener {
  void passage_sent(CableChannel channel, Index passage) override { sent.emplace_back(channel, passage); }
  void run_to_host_begins(CableChannel) override { ++runs_to_hosts; }
  std::vector<std::pair<Index, Index>> sent;
  int runs_to_hosts = 0;
};

struct WormSenders : WormParts {
  ChannelLoads loads{agenda, channels, runs};
  SentPassages sent;
  Senders senders{agenda, channels, packets, runs, slack, timers, loads, 25, sent};
};

TEST_F(WormSenders, APassageIsSentWhenItsLastFlitHasLeft) {
  const Index passage = a_passage(5);
  senders.hand_to(from_host, passage);
  senders.try_to_send(from_host);
  log.pass(50);
  EXPECT_EQ(log.happened, (std::vector<EventLog::Entry>{{25, WormEvent::header_arrives, from_host},
                                                        {50, WormEvent::run_is_over, from_host}}));
  senders.run_ends(from_host);
  EXPECT_EQ(sent.sent, (std::vector<std::pair<Index, Index>>{{from_host, passage}}));
  EXPECT_EQ(channels[from_host].current, none);
  EXPECT_EQ(loads.flits_carried(from_host), 5);
}

// Flits start at 0, 10 and 20; stopped at 22. The other two start at 100 and 110, and the cable is clear at
// 120.
TEST_F(WormSenders, AStoppedSenderContinuesWithTheFlitThatItHadNotStarted) {
  senders.hand_to(from_host, a_passage(5));
  senders.try_to_send(from_host);
  log.pass(22);
  senders.hear(from_host, true);
  log.pass(100);
  EXPECT_EQ(runs.arrived(from_host), 3);
  senders.hear(from_host, false);
  EXPECT_EQ(loads.time_stopped(from_host), SimTime::from_ps(78));
  log.pass(119);
  senders.run_ends(from_host);
  EXPECT_TRUE(sent.sent.empty());
  log.pass(120);
  senders.run_ends(from_host);
  EXPECT_EQ(sent.sent.size(), 1U);
}

TEST_F(WormSenders, ItSaysWhenItSendsToAHost) {
  senders.hand_to(to_host, a_passage(5));
  senders.try_to_send(to_host);
  EXPECT_EQ(sent.runs_to_hosts, 1);
}

TEST_F(WormSenders, AWindowCountsWhatHasBeenCarriedInIt) {
  senders.hand_to(from_host, a_passage(5));
  senders.try_to_send(from_host);
  log.pass(20);  // three have been started
  loads.begin_window();
  log.pass(60);
  EXPECT_EQ(loads.flits_carried(from_host), 2);
  EXPECT_DOUBLE_EQ(loads.utilisation(from_host), 0.5);
}

TEST(WaitingInputs, AreServedRoundRobinOverAllWordsOfTheMask) {
  WaitingInputs waiting(2, 128);
  EXPECT_FALSE(waiting.any(1));
  for (const PortNumber port : std::vector<PortNumber>{3, 63, 64, 127}) waiting.set(1, port, true);
  EXPECT_FALSE(waiting.any(0));
  EXPECT_EQ(waiting.next_after(1, 2), 3);
  EXPECT_EQ(waiting.next_after(1, 3), 63);
  EXPECT_EQ(waiting.next_after(1, 63), 64);
  EXPECT_EQ(waiting.next_after(1, 64), 127);
  EXPECT_EQ(waiting.next_after(1, 127), 3);
  for (const PortNumber port : std::vector<PortNumber>{3, 64, 127}) waiting.set(1, port, false);
  EXPECT_EQ(waiting.next_after(1, 63), 63);
}

TEST(TransitPool, HoldsNoMoreThanItsCapacity) {
  TransitPool pool(100);
  EXPECT_TRUE(pool.reserve(60, 0));
  EXPECT_FALSE(pool.reserve(41, 10));
  EXPECT_TRUE(pool.reserve(40, 10));
  pool.release(60, 30);
  EXPECT_TRUE(pool.reserve(60, 30));
  EXPECT_EQ(pool.statistics().packets, 4U);
  EXPECT_EQ(pool.statistics().overflows, 1U);
  EXPECT_EQ(pool.statistics().most_packets, 2);
  EXPECT_EQ(pool.statistics().most_bytes, 100);
  // One packet for 10, two from then on.
  EXPECT_EQ(pool.packet_time(40), 10 + 2 * 30);
  pool.begin_window(40);
  EXPECT_EQ(pool.packet_time(45), 10);
}

struct SendQueuesOfAHost : WormParts {
  Index local() {
    const Index packet = packets.add({}, {});
    queues.add_local(packets, packet);
    return packet;
  }
  Index in_transit(Time ready, std::uint64_t order) {
    const Index passage = a_passage(5);
    packets.passage(passage).ready = ready;
    packets.passage(passage).order = order;
    queues.add_in_transit(packets, passage);
    return passage;
  }
  SendQueues queues;
};

TEST_F(SendQueuesOfAHost, PacketsInTransitGoByReadinessThenByTheirMarks) {
  const Index late = in_transit(30, 0), second = in_transit(20, 2), first = in_transit(20, 1);
  const Index last = in_transit(40, 3);
  for (const Index expected : {first, second, late, last})
    EXPECT_EQ(queues.take_in_transit(packets), expected);
  EXPECT_TRUE(queues.empty());
}

TEST_F(SendQueuesOfAHost, LocalPacketsKeepTheirOrder) {
  const Index first = local(), second = local();
  EXPECT_TRUE(queues.choose_local(8));
  EXPECT_EQ(queues.take_local(packets), first);
  EXPECT_EQ(queues.take_local(packets), second);
  EXPECT_TRUE(queues.empty());
}

// Two wait while a packet in transit goes, then two again: that adds up to four.
TEST_F(SendQueuesOfAHost, ALocalPacketGoesWhenTheClaimsReachTheThreshold) {
  local();
  local();
  in_transit(1, 0);
  EXPECT_FALSE(queues.choose_local(4));
  EXPECT_FALSE(queues.choose_local(4));
  EXPECT_TRUE(queues.choose_local(4));
  EXPECT_FALSE(queues.choose_local(4));
}

TEST_F(WormParts, APacketsPlaceIsFreeWhenItHasDepartedAndItsFateIsKnownAndNothingOfItIsLeft) {
  const Index packet = packets.add({}, {});
  const Index passage = packets.add_passage(packet, 0, 5, 0);
  packets.packet(packet).departed = packets.packet(packet).settled = true;
  packets.free_if_done(packet);
  EXPECT_NE(packets.add({}, {}), packet);
  packets.drop_passage(passage);
  EXPECT_EQ(packets.add({}, {}), packet);
  EXPECT_EQ(packets.add_passage(packet, 0, 5, 0), passage);
}

TEST_F(WormParts, ABadTailAloneIsNoByteOfTheRoute) {
  const std::vector<RouteByte> route{2, in_transit_mark, 1};
  const Index packet = packets.add({UnitId{1}, PortId{0}, PortId{1}, Bytes(10)}, route);
  EXPECT_EQ(packets.packet(packet).total, 3 + 1 + 10 + 1);  // route, type, payload, CRC
  Passage& passage = packets.passage(packets.add_passage(packet, 0, 2, 1));
  EXPECT_TRUE(packets.starts_with_mark(passage));
  EXPECT_EQ(packets.flits_behind_mark(passage), 15 - 1 - 1);
  passage.bad_tail = true;
  EXPECT_TRUE(packets.has_first_byte(passage));
  passage.length = 1;
  EXPECT_FALSE(packets.has_first_byte(passage));
}

struct FateLog : UnitListener {
  void unit_departed(UnitId, PortId) override { text += 'd'; }
  void unit_delivered(UnitId, PortId) override { text += '+'; }
  void unit_lost(UnitId) override { text += '-'; }
  std::string text;
};

TEST_F(WormParts, ALossBeforeTheDepartureIsReportedWithIt) {
  FateLog listener;
  UnitListener* const pointer = &listener;
  PacketFates fates(packets, pointer);
  const Index packet = packets.add({}, {});
  fates.injected();
  fates.lost(packet, UnitLoss::no_such_port, from_host);
  EXPECT_EQ(listener.text, "");
  EXPECT_EQ(fates.totals().lost_in_all(), 0U);
  fates.departed(packet);
  EXPECT_EQ(listener.text, "d-");
  EXPECT_EQ(fates.totals().lost_for(UnitLoss::no_such_port), 1U);
  EXPECT_EQ(fates.how_lost(channels, SimTime()),
            "its route names a port of switch 0 at which there is nothing");
}

}  // namespace
}  // namespace morgana::myrinet
