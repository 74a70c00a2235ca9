#include "replay/port_messages.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/engine/engine.h"
#include "emulator/network/logp/logp_network.h"
#include "emulator/operations/causality.h"
#include "emulator/transport/direct/direct.h"
#include "replay/graph_run.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

struct Shape {
  std::size_t ranks = 5;
  int steps = 80;
  std::size_t cpus = 1, nics = 1;
  std::uint64_t tags = 1000;  ///< fewer than steps: messages of one pair may have one tag
  bool all_received = true;
};

/// Nodes require only earlier ones of their rank, and messages only earlier steps: without deadlock, unless
/// receives of one tag are posted in another order than the sends.
DependencyGraph random_graph(RandomStream& random, const Shape& shape) {
  std::vector<RankGraphBuilder> builders(shape.ranks);
  const auto add = [&](std::size_t rank, GraphNode node) {
    const std::uint32_t number = builders[rank].size();
    node.cpu = static_cast<std::uint16_t>(random.below(shape.cpus));
    builders[rank].add(node);
    for (std::uint64_t count = random.below(3); count > 0 && number > 0; --count)
      builders[rank].require(number, static_cast<std::uint32_t>(random.below(number)), random.below(4) == 0);
  };
  for (int step = 0; step < shape.steps; ++step) {
    const std::size_t from = random.below(shape.ranks),
                      to = (from + 1 + random.below(shape.ranks - 1)) % shape.ranks;
    GraphNode node;
    if (random.below(3) == 0) {
      node.amount = static_cast<std::int64_t>(500'000 * random.below(8));
      add(from, node);
      continue;
    }
    node.amount = static_cast<std::int64_t>(random.below(3) == 0 ? random.below(2) : random.below(3000));
    node.tag = Tag{static_cast<std::int32_t>(static_cast<std::uint64_t>(step) % shape.tags)};
    node.nic = static_cast<std::uint8_t>(random.below(shape.nics));
    node.kind = GraphNode::Kind::send;
    node.peer = Rank{static_cast<std::int32_t>(to)};
    add(from, node);
    if (!shape.all_received && random.below(10) == 0) continue;
    node.kind = GraphNode::Kind::receive;
    node.peer = Rank{static_cast<std::int32_t>(from)};
    add(to, node);
  }
  std::vector<RankGraph> ranks;
  for (RankGraphBuilder& builder : builders) ranks.push_back(builder.finish());
  return {"a random graph", std::move(ranks),
          [](std::size_t rank, std::uint32_t node) { return fmt::format("node {} of rank {}", node, rank); }};
}

/// What a LogGP machine takes, each of it absent in some cases.
struct Costs {
  SimTime send, receive, latency, gap;
  ByteCost send_per_byte, receive_per_byte, gap_per_byte, latency_per_byte;
  Bytes envelope;
};

Costs random_costs_of_ports(RandomStream& random) {
  // Round numbers make many things happen in one instant.
  const bool round = random.below(2) == 0;
  const auto time = [&] {
    return SimTime::from_ps(static_cast<std::int64_t>(round ? 500'000 * random.below(6)
                                                            : random.below(3) * random.below(2'000'000)));
  };
  const auto cost = [&] {
    return ByteCost::from_fs(static_cast<std::int64_t>(random.below(2) * random.below(1'500'000)));
  };
  return {time(), time(), time(),
          time(), cost(), cost(),
          cost(), cost(), Bytes(static_cast<std::int64_t>(random.below(2) * random.below(60)))};
}

Machine machine_of(const Costs& costs, const Shape& shape) {
  Machine machine;
  for (std::size_t i = 0; i < shape.ranks; ++i)
    machine.host_of.push_back(HostId(static_cast<std::uint32_t>(shape.ranks - 1 - i)));
  machine.nics = shape.nics;
  machine.names_nics = shape.nics > 1;
  machine.messages.send_overhead = costs.send;
  machine.messages.receive_overhead = costs.receive;
  machine.messages.send_per_byte = costs.send_per_byte;
  machine.messages.receive_per_byte = costs.receive_per_byte;
  machine.messages.envelope = costs.envelope;
  machine.messages.eager_limit = machine.messages.local_eager_limit = Bytes(4096);
  LogpParameters network{costs.latency, costs.gap, costs.gap_per_byte};
  network.latency_per_byte = costs.latency_per_byte;
  network.latency_bytes = Bytes(1000);
  machine.network = std::make_unique<LogpNetwork>(*machine.events, shape.ranks * shape.nics, network);
  machine.transport = std::make_unique<DirectTransport>(*machine.network);
  return machine;
}

/// Every call and every message, with its times.
class Log : public OperationObserver {
 public:
  void operation_ended(Rank rank, const Operation& operation, SimTime begin, SimTime end,
                       std::span<const Completed> completed) override {
    std::string line =
        fmt::format("{} {} {} {} {} {}", index(rank), name_of(operation.call), begin.ps(), end.ps(),
                    static_cast<std::int32_t>(operation.peer), operation.bytes.count());
    for (const Completed& one : completed)
      line += fmt::format(" {} {} {} {}", static_cast<std::uint64_t>(one.request),
                          static_cast<std::int32_t>(one.source), static_cast<std::int32_t>(one.tag),
                          one.bytes.count());
    lines.push_back(line);
  }
  void partner_came(Rank rank, WaitCause cause, SimTime at) override {
    lines.push_back(fmt::format("{} partner {} {}", index(rank), static_cast<int>(cause), at.ps()));
  }
  void message_delivered(Rank from, Rank to, Bytes bytes, SimTime sent, SimTime now) override {
    lines.push_back(
        fmt::format("{} to {}: {} {} {}", index(from), index(to), bytes.count(), sent.ps(), now.ps()));
  }
  std::vector<std::string> lines;
};

/// Whoever asks for causes gets the messages of the library's messenger over the network and its transport.
class AsksForCauses : public CausalityObserver {
 public:
  void released(const Release& /*release*/) override {}
};

struct Outcome {
  std::vector<SimTime> ends;
  std::vector<std::string> log, notices;
  Traffic sent;
  RunStatistics statistics, of_each_call;
};

Outcome outcome_of(const DependencyGraph& graph, Machine machine, bool by_messenger, std::uint32_t runs = 1) {
  Outcome outcome{{}, {}, {}, {}, RunStatistics(graph.ranks()), RunStatistics(graph.ranks())};
  Log log;
  AsksForCauses causes;
  OperationObserver* const observers[] = {&log, &outcome.of_each_call};
  GraphRun::Options options;
  options.runs = runs;
  options.start = SimTime::from_ps(700);
  options.statistics = &outcome.statistics;
  options.observers = observers;
  if (by_messenger) options.causes = &causes;
  EXPECT_EQ(PortMessages::can_carry(machine, graph), true);
  GraphRun run(machine, graph, options);
  try {
    outcome.ends = run.run();
    outcome.notices = run.notices();
  } catch (const Deadlock& deadlock) {
    run.sum_up();
    outcome.notices = {deadlock.what()};
  }
  outcome.log = log.lines;
  outcome.sent = machine.between_hosts;
  return outcome;
}

void expect_same(const RunStatistics& one, const RunStatistics& other) {
  ASSERT_EQ(one.ranks().size(), other.ranks().size());
  for (std::size_t i = 0; i < one.ranks().size(); ++i) {
    const RunStatistics::PerRank &a = one.ranks()[i], &b = other.ranks()[i];
    EXPECT_THAT(
        (std::vector{a.end.ps(), a.communication.ps(), a.bytes_sent.count(), a.bytes_received.count()}),
        ElementsAre(b.end.ps(), b.communication.ps(), b.bytes_sent.count(), b.bytes_received.count()))
        << i;
    EXPECT_EQ(a.messages_sent, b.messages_sent);
    EXPECT_EQ(a.messages_received, b.messages_received);
    EXPECT_EQ(one.calls(Rank{static_cast<std::int32_t>(i)}), other.calls(Rank{static_cast<std::int32_t>(i)}));
  }
  EXPECT_EQ(one.calls(), other.calls());
  EXPECT_EQ(one.latency().summary().count(), other.latency().summary().count());
  EXPECT_EQ(one.latency().summary().mean(), other.latency().summary().mean());
}

void expect_same_as_the_messenger(const std::string& what, const Shape& shape, int cases,
                                  std::uint32_t runs = 1) {
  for (int seed = 1; seed <= cases; ++seed) {
    SCOPED_TRACE(fmt::format("{}, seed {}", what, seed));
    RandomStream random(static_cast<std::uint64_t>(seed), what);
    const Costs costs = random_costs_of_ports(random);
    const DependencyGraph graph = random_graph(random, shape);
    const Outcome fast = outcome_of(graph, machine_of(costs, shape), false, runs);
    const Outcome slow = outcome_of(graph, machine_of(costs, shape), true, runs);
    ASSERT_FALSE(fast.log.empty());
    ASSERT_EQ(fast.ends, slow.ends);
    ASSERT_EQ(fast.log, slow.log);
    ASSERT_EQ(fast.notices, slow.notices);
    EXPECT_EQ(fast.sent.messages, slow.sent.messages);
    EXPECT_EQ(fast.sent.bytes, slow.sent.bytes);
    expect_same(fast.statistics, slow.statistics);
    expect_same(fast.statistics, fast.of_each_call);
  }
}

TEST(PortMessages, CarryWhatTheMessengerDoesToThePicosecond) {
  expect_same_as_the_messenger("one CPU", {}, 120);
}

TEST(PortMessages, CarryMessagesOfSeveralCpusAndNics) {
  expect_same_as_the_messenger("several CPUs", {.ranks = 4, .cpus = 3}, 40);
  expect_same_as_the_messenger("several NICs", {.ranks = 4, .cpus = 2, .nics = 3}, 40);
}

TEST(PortMessages, TakeMessagesOfOneTagInTheirOrder) {
  expect_same_as_the_messenger("few tags", {.ranks = 3, .steps = 60, .cpus = 2, .tags = 1}, 60);
}

TEST(PortMessages, TellWhatIsNeverReceivedAndMeetNothingOfAnEarlierRun) {
  expect_same_as_the_messenger("some are not received", {.all_received = false}, 30);
  expect_same_as_the_messenger("three runs", {.tags = 7, .all_received = false}, 30, 3);
}

/// A graph of two ranks: one message, and what receives it.
DependencyGraph message(GraphNode send, GraphNode receive) {
  send.kind = GraphNode::Kind::send;
  receive.kind = GraphNode::Kind::receive;
  std::vector<RankGraph> ranks;
  for (const GraphNode& node : {send, receive}) {
    RankGraphBuilder builder;
    builder.add(node);
    ranks.push_back(builder.finish());
  }
  return {"a message", std::move(ranks), [](std::size_t, std::uint32_t) { return std::string(); }};
}

TEST(PortMessages, CarryOnlyEagerMessagesBetweenHostsWithReceivesThatNameThem) {
  const Shape shape{.ranks = 2};
  GraphNode send, receive;
  send.peer = Rank{1};
  receive.peer = Rank{0};
  send.tag = receive.tag = Tag{3};
  send.amount = receive.amount = 4096;
  const auto carries = [&](const GraphNode& sent, const GraphNode& received, Machine machine) {
    return PortMessages::can_carry(machine, message(sent, received));
  };
  EXPECT_TRUE(carries(send, receive, machine_of({}, shape)));
  GraphNode longer = send;
  longer.amount = 4097;
  EXPECT_FALSE(carries(longer, receive, machine_of({}, shape)));
  GraphNode any = receive;
  any.peer = any_rank;
  EXPECT_FALSE(carries(send, any, machine_of({}, shape)));
  any = receive;
  any.tag = any_tag;
  EXPECT_FALSE(carries(send, any, machine_of({}, shape)));
  Machine one_host = machine_of({}, shape);
  one_host.host_of.assign(2, HostId{0});
  EXPECT_FALSE(carries(send, receive, std::move(one_host)));
  Machine takes_turns = machine_of({}, shape);
  takes_turns.quantum = SimTime::from_ps(1);
  EXPECT_FALSE(carries(send, receive, std::move(takes_turns)));
  Machine reads_in_progress = machine_of({}, shape);
  reads_in_progress.messages.receive_copies = ReceiveCopies::in_progress;
  EXPECT_TRUE(carries(send, receive, machine_of({}, shape)));
  reads_in_progress.messages.receive_per_byte = ByteCost::from_fs(1);
  EXPECT_FALSE(carries(send, receive, std::move(reads_in_progress)));
  EXPECT_THAT(outcome_of(message(send, receive), machine_of({}, shape), false).notices, IsEmpty());
}

}  // namespace
}  // namespace morgana
