#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "emulator/core/counter_table.h"
#include "emulator/core/error.h"
#include "emulator/network/atm/cell.h"
#include "tests/network/atm/chain.h"
#include "tests/network/atm/experiment.h"

namespace morgana::testing {
namespace {
using namespace literals;

std::vector<Fate> run(const AtmParameters& parameters, const std::vector<PlannedTrain>& plan) {
  AtmExperiment experiment(parameters, 1);
  std::vector<Fate> fates = experiment.run(plan);
  experiment.expect_conservation();
  return fates;
}

TEST(AtmLink, ACellTakesItsTimeRoundedOnce) {
  EXPECT_EQ(atm::cell_time(oc3), 2'726'337_ps);
  EXPECT_EQ(atm::cell_time(taxi), 3'028'571_ps);
}

TEST(AtmNetwork, OneCellCrossesOneTwoAndFourSwitches) {
  for (const std::uint32_t switches : {1U, 2U, 4U}) {
    CablePlan plan = chain_plan(switches, oc3);
    for (auto& host : plan.hosts) host.link.propagation = 500_ns;
    for (auto& trunk : plan.trunks) trunk.link.propagation = 5_us;
    AtmParameters parameters = over(plan);
    parameters.switches.delay = 10_us;
    const Fate fate = run(parameters, {{3_us, 0, 1, 1}})[0];
    EXPECT_EQ(fate.departed, 3_us + 2'726'337_ps);
    EXPECT_EQ(fate.delivered,
              3_us + (switches + 1) * 2'726'337_ps + 2 * 500_ns + (switches - 1) * 5_us + switches * 10_us);
  }
}

// In half a second: 50 cells of UBR, 25 of VBR; a cell has 424 bits.
TEST(AtmNetwork, CountsCellsAndBandwidthByCategory) {
  AtmExperiment experiment(chain(1, oc3, 3), 1);
  experiment.run({{0_us, 0, 1, 20}, {0_us, 0, 2, 30}, {0_us, 1, 2, 25, ServiceCategory::vbr}});
  const std::vector<CounterTable> tables = experiment.network().counted(500_ms);
  const auto table = std::ranges::find(tables, "ATM categories", &CounterTable::title);
  ASSERT_NE(table, tables.end());
  const auto expect = [&](std::size_t row, const char* category, std::int64_t connections,
                          std::int64_t cells) {
    const std::vector<CounterTable::Value>& values = table->rows[row];
    EXPECT_EQ(std::get<std::string>(values[0]), category);
    for (const auto& [column, value] : {std::pair{1U, connections}, {2U, cells}, {4U, cells}})
      EXPECT_EQ(std::get<std::int64_t>(values[column]), value);
    EXPECT_DOUBLE_EQ(std::get<double>(values[3]), static_cast<double>(cells) / 75);
    for (const unsigned column : {6U, 7U})
      EXPECT_NEAR(std::get<double>(values[column]), static_cast<double>(cells) * 0.424 / 0.5, 1e-9);
  };
  expect(0, "vbr", 1, 25);
  expect(1, "ubr", 2, 50);
}

// The validation of the ATM paper, Tables 6.3 and 6.4, less the interrupt of 12.5 us: 35.557 us.
TEST(AtmNetwork, OneCellTakesThePapersTimeOverTaxiAndOneSwitch) {
  AtmParameters parameters = chain(1, taxi);
  parameters.switches.delay = 500_ns;
  parameters.interface.send_per_cell = parameters.interface.receive_per_cell = 8250_ns;
  const Fate fate = run(parameters, {{0_us, 0, 1, 1}})[0];
  EXPECT_NEAR((*fate.delivered + 12500_ns).seconds(), 35.557e-6, 0.001e-6);
}

// The compositions for 29 cells under row A-07: 351.36 us serial, 266.56 us pipelined.
TEST(AtmNetwork, TwentyNineCellsTakeTheSumsOfSerialAndPipelinedInterfaces) {
  AtmParameters parameters = chain(1, taxi);
  parameters.switches.delay = 500_ns;
  parameters.interface.send_per_cell = parameters.interface.receive_per_cell = 8250_ns;
  EXPECT_NEAR((*run(parameters, {{0_us, 0, 1, 29}})[0].delivered + 12500_ns).seconds(), 266.56e-6, 0.01e-6);
  parameters.interface.serial = true;
  EXPECT_NEAR((*run(parameters, {{0_us, 0, 1, 29}})[0].delivered + 12500_ns).seconds(), 351.36e-6, 0.01e-6);
}

TEST(AtmNetwork, APacketsCellsFollowEachOtherAtTheLinksRate) {
  const auto fates = run(chain(4, oc3), {{0_us, 0, 1, 1000}});
  EXPECT_EQ(fates[0].delivered, (1000 + 4) * 2'726'337_ps);
}

TEST(AtmNetwork, AUnitIsAnAal5PacketWithItsTrailer) {
  EXPECT_EQ(atm::aal5_cells(0_B), 1U);
  EXPECT_EQ(atm::aal5_cells(40_B), 1U);
  EXPECT_EQ(atm::aal5_cells(41_B), 2U);
  EXPECT_EQ(atm::aal5_cells(8192_B), 171U);
  EventQueue events;
  AtmNetwork network(events, chain(1, round_link), 1);
  Experiment experiment(events, network);
  const auto fates = experiment.run({{0_us, 0, 1, 8192}});
  experiment.expect_conservation();
  EXPECT_EQ(fates[0].delivered, 172_us);
  EXPECT_THROW(network.inject({UnitId{1}, PortId{0}, PortId{1}, 65536_B}), Error);
}

// Two cells come to an output at once: one stays 1 us, the other 2 us.
TEST(AtmNetwork, CountsQueueAndUtilisationOfAnOutput) {
  AtmExperiment experiment(chain(1, round_link, 3), 1);
  experiment.run({{0_us, 0, 2, 1}, {0_us, 1, 2, 1}});
  ASSERT_EQ(experiment.events().now(), 3_us);
  const atm::OutputCounters counters = experiment.network().counters(0)[2];
  EXPECT_EQ(counters.cells_in, 2U);
  EXPECT_EQ(counters.longest_queue, 2);
  EXPECT_NEAR(counters.queue_seconds, 3e-6, 1e-15);
  EXPECT_NEAR(counters.mean_queue(), 1, 1e-9);
  EXPECT_NEAR(counters.utilisation(), 2.0 / 3, 1e-9);
}

/// The row whose first value is `name`.
const std::vector<CounterTable::Value>& row_of(const CounterTable& table, std::string_view name) {
  for (const auto& row : table.rows)
    if (std::get<std::string>(row.front()) == name) return row;
  throw std::runtime_error("no row " + std::string(name) + " in " + table.title);
}

// Hosts 0 and 1 on switch 0, host 2 on switch 1; two cells at once on the trunk, seen at 10 us.
TEST(AtmNetwork, ReportsOutputsConnectionsAndEstimatedLoss) {
  AtmParameters parameters = two_and_one(round_link);
  parameters.switches.estimate_buffer = 1;
  AtmExperiment experiment(parameters, 1);
  experiment.run({{0_us, 0, 2, 1}, {0_us, 1, 2, 1, ServiceCategory::abr}});
  const auto tables = experiment.network().counted(10_us);
  ASSERT_EQ(tables.size(), 4U);
  const auto& trunk = row_of(tables[0], "switch 0 to switch 1");
  EXPECT_EQ(std::get<std::int64_t>(trunk[1]), 2);                  // cells in
  EXPECT_EQ(std::get<std::int64_t>(trunk[2]), 2);                  // cells out
  EXPECT_NEAR(std::get<double>(trunk[6]), (1 + 2) / 10.0, 1e-12);  // mean queue
  EXPECT_EQ(std::get<std::int64_t>(trunk[7]), 2);                  // longest
  EXPECT_NEAR(std::get<double>(trunk[8]), 2 / 10.0, 1e-12);        // utilisation
  EXPECT_EQ(std::get<std::int64_t>(row_of(tables[0], "switch 1 to host 2")[1]), 2);
  const auto& second = row_of(tables[1], "host 1 to 2");
  EXPECT_EQ(std::get<std::string>(second[1]), "abr");
  EXPECT_EQ(std::get<std::string>(second[3]), "0/33");  // behind the other one, on host 2's link
  EXPECT_EQ(std::get<std::int64_t>(second[5]), 1);
  EXPECT_NEAR(std::get<double>(row_of(tables[3], "switch 0")[3]), 0.5, 1e-12);
  EXPECT_NEAR(std::get<double>(row_of(tables[3], "mean")[3]), 0.25, 1e-12);
}

// Three cells of 1 us each on a network of which 10 us pass.
TEST(AtmNetwork, TellsOfItsLinksWhereTheyLeadAndWhatWentAlong) {
  AtmParameters parameters = two_and_one(round_link);
  AtmExperiment experiment(parameters, 1);
  experiment.run({{0_us, 0, 2, 2}, {0_us, 1, 2, 1}});
  const NetworkLinks links = experiment.network().links(10_us);
  EXPECT_EQ(links.unit, "cells");
  const auto host = [](std::uint32_t number) { return LinkEnd{LinkEnd::Kind::host, number, 0}; };
  const auto port = [](std::uint32_t number, std::uint32_t at) {
    return LinkEnd{LinkEnd::Kind::switch_port, number, at};
  };
  // Hosts hang on a switch's first ports.
  const LinkLoad expected[] = {{host(0), port(0, 0), 2, 0.2}, {host(1), port(0, 1), 1, 0.1},
                               {host(2), port(1, 0), 0, 0},   {port(0, 0), host(0), 0, 0},
                               {port(0, 1), host(1), 0, 0},   {port(0, 2), port(1, 1), 3, 0.3},
                               {port(1, 0), host(2), 3, 0.3}, {port(1, 1), port(0, 2), 0, 0}};
  ASSERT_EQ(links.loads.size(), std::size(expected));
  for (std::size_t i = 0; i < links.loads.size(); ++i) {
    EXPECT_EQ(links.loads[i].from, expected[i].from) << i;
    EXPECT_EQ(links.loads[i].to, expected[i].to) << i;
    EXPECT_EQ(links.loads[i].carried, expected[i].carried) << i;
    EXPECT_NEAR(links.loads[i].utilisation, expected[i].utilisation, 1e-12) << i;
    EXPECT_FALSE(links.loads[i].stopped) << i;
  }
}

/// Reads what is queued for each link at the moment at which it is asked.
struct QueueReader : EventHandler {
  QueueReader(const EventQueue& clock, AtmNetwork& read) : events(clock), network(read) {}
  void handle(std::uint64_t) override { links = network.links(events.now()).loads; }
  const EventQueue& events;
  AtmNetwork& network;
  std::vector<LinkLoad> links;
};

// A cell takes 1 us. Two hosts' cells come to the trunk's queue at 1 us, and another one at 2 us: at 1.25 us
// host 0 has 0.75 us left of its second cell, and the trunk 1.75 us of the two. A cell of host 0 is queued
// for its link at 0.25 us and two are still to be sent but for a quarter.
TEST(AtmNetwork, TellsHowLongItTakesToSendWhatIsQueued) {
  for (const atm::DropPolicy policy : {atm::DropPolicy::tail, atm::DropPolicy::push_out}) {
    SCOPED_TRACE(static_cast<int>(policy));
    AtmParameters parameters = two_and_one(round_link);
    parameters.switches.policy = policy;
    parameters.switches.buffer = 100;
    AtmExperiment experiment(parameters, 1);
    QueueReader reader(experiment.events(), experiment.network());
    experiment.events().schedule(1'250_ns, reader);
    experiment.run({{0_us, 0, 2, 2}, {0_us, 1, 2, 1}});
    ASSERT_EQ(reader.links.size(), 8U);
    EXPECT_EQ(reader.links[0].queued, 750_ns);
    EXPECT_EQ(reader.links[1].queued, 0_us);
    EXPECT_EQ(reader.links[5].queued, 1'750_ns) << "of the trunk";
    EXPECT_EQ(reader.links[6].queued, 0_us);
  }
}

// The same queue under first in, first out and under priorities, of which all cells have the same.
TEST(AtmNetwork, QueuesOfOnePriorityAreFirstInFirstOut) {
  AtmParameters parameters = chain(2, oc3, 4);
  parameters.switches.buffer = 40;
  parameters.switches.background = {2, 1, 0, 0.5, 100_us, 0.5, false};
  parameters.switches.background.set_load(0.9);
  std::vector<PlannedTrain> plan;
  for (std::uint32_t n = 0; n < 200; ++n) plan.push_back({n * 100_us, n % 3, 3, 1 + n % 7});
  const auto expected = run(parameters, plan);
  AtmExperiment first_in(parameters, 1);
  first_in.run(plan);
  parameters.switches.policy = atm::DropPolicy::push_out;
  AtmExperiment by_priority(parameters, 1);
  EXPECT_EQ(by_priority.run(plan), expected);
  for (const std::uint32_t s : {0U, 1U}) {
    const auto a = first_in.network().counters(s), b = by_priority.network().counters(s);
    for (std::size_t output = 0; output < a.size(); ++output) {
      EXPECT_EQ(a[output].background_in, b[output].background_in);
      EXPECT_EQ(a[output].background_lost, b[output].background_lost);
      EXPECT_EQ(a[output].longest_queue, b[output].longest_queue);
      EXPECT_NEAR(a[output].mean_queue(), b[output].mean_queue(), 1e-9);
      EXPECT_NEAR(a[output].utilisation(), b[output].utilisation(), 1e-9);
    }
  }
}

TEST(AtmSwitch, CountsWhatAFiniteBufferWouldHaveLostWithoutLosingIt) {
  AtmParameters parameters = chain(1, round_link, 4);
  parameters.switches.estimate_buffer = 2;
  AtmExperiment experiment(parameters, 1);
  const auto fates = experiment.run({{0_us, 0, 3, 1}, {0_us, 1, 3, 1}, {0_us, 2, 3, 1}});
  for (const Fate& fate : fates) EXPECT_TRUE(fate.delivered);
  EXPECT_EQ(experiment.network().cells_seen(0), 3U);
  EXPECT_EQ(experiment.network().estimated_lost(0), 1U);
}

TEST(AtmSwitch, ThatNoCellHasCrossedCountsInTheMeanOfEstimatedLoss) {
  AtmParameters parameters = chain(2, round_link, 8);  // hosts 0 to 3 at the first switch
  parameters.switches.estimate_buffer = 2;
  AtmExperiment experiment(parameters, 1);
  experiment.run({{0_us, 0, 3, 1}, {0_us, 1, 3, 1}, {0_us, 2, 3, 1}});
  EXPECT_DOUBLE_EQ(experiment.network().estimated_loss(), (1.0 / 3 + 0) / 2);
}

// Packets from two hosts meet in front of a buffer of 4 cells: every second cell is too much.
TEST(AtmSwitch, PartialPacketDiscardDropsTheRestOfAPacketButItsLastCell) {
  AtmParameters parameters = chain(1, round_link, 3);
  parameters.switches.buffer = 4;
  const std::vector<PlannedTrain> plan{{0_us, 0, 2, 100}, {0_us, 1, 2, 100}};
  AtmExperiment tail(parameters, 1);
  tail.run(plan);
  parameters.switches.policy = atm::DropPolicy::ppd;
  AtmExperiment ppd(parameters, 1);
  const auto fates = ppd.run(plan);
  // At 1, 2 and 3 us two cells come and at most one leaves; from 4 to 100 us there is room for one of two.
  EXPECT_EQ(tail.lost_cells(), 97U);
  EXPECT_TRUE(fates[0].delivered || fates[1].delivered);
  EXPECT_TRUE(fates[0].lost || fates[1].lost);
}

TEST(AtmSwitch, EarlyPacketDiscardRefusesWholePackets) {
  AtmParameters parameters = chain(1, round_link, 3);
  parameters.switches.buffer = 20;
  parameters.switches.epd_threshold = 3;
  parameters.switches.policy = atm::DropPolicy::epd;
  AtmExperiment experiment(parameters, 1);
  // At 11 us ten cells have come from each of two hosts and ten have left: a packet that begins is refused.
  const auto fates = experiment.run({{0_us, 0, 2, 12}, {0_us, 1, 2, 10}, {10_us, 1, 2, 5}});
  EXPECT_TRUE(fates[0].delivered && fates[1].delivered);
  EXPECT_TRUE(fates[2].lost);
  EXPECT_EQ(experiment.lost_cells(), 5U);
}

TEST(AtmSwitch, GuaranteedCellsGoFirstAndTakeThePlaceOfUnspecifiedOnes) {
  AtmParameters parameters = chain(1, round_link, 4);
  parameters.switches.buffer = 3;
  parameters.switches.policy = atm::DropPolicy::push_out;
  AtmExperiment experiment(parameters, 1);
  const auto fates = experiment.run(
      {{0_us, 0, 3, 1}, {0_us, 1, 3, 1}, {0_us, 2, 3, 1}, {500_ns, 0, 3, 1, ServiceCategory::vbr}});
  EXPECT_EQ(fates[0].delivered, 2_us);
  EXPECT_EQ(fates[1].delivered, 3_us);  // began when the first had left, at 2 us
  EXPECT_EQ(fates[3].delivered, 4_us);  // offered at 2 us, behind its host's first cell
  EXPECT_EQ(fates[2].delivered, 5_us);
  AtmExperiment crowded(parameters, 1);
  const auto more = crowded.run({{0_us, 0, 3, 1},
                                 {0_us, 1, 3, 1},
                                 {0_us, 2, 3, 1},
                                 {0_us, 1, 3, 1, ServiceCategory::abr},
                                 {0_us, 2, 3, 1, ServiceCategory::vbr}});
  EXPECT_TRUE(more[2].lost);  // the youngest of UBR
  EXPECT_TRUE(more[0].delivered && more[1].delivered && more[3].delivered && more[4].delivered);
}

/// What becomes of a single UBR cell each 100 us beside four sources of others that load its link to 0.9,
/// with room for so many cells in the switch: the mean time of those that come, in cell times, and how many
/// are lost.
std::pair<double, std::uint64_t> beside(const std::vector<ServiceCategory>& others, std::int64_t buffer) {
  AtmParameters parameters = chain(1, round_link);
  parameters.switches.policy = atm::DropPolicy::push_out;
  parameters.switches.buffer = buffer;
  parameters.switches.background = {4, 1, 0, 1, SimTime(), 1, false};
  parameters.switches.background.set_load(0.9);
  parameters.switches.background_categories = others;
  std::vector<PlannedTrain> plan;
  for (std::uint32_t n = 0; n < 2000; ++n) plan.push_back({n * 100_us, 0, 1, 1});
  AtmExperiment experiment(parameters, 1);
  double sum = 0, came = 0;
  const auto fates = experiment.run(plan);
  for (std::size_t n = 0; n < fates.size(); ++n)
    if (fates[n].delivered) {
      sum += (*fates[n].delivered - plan[n].at).seconds() * 1e6;
      ++came;
    }
  return {sum / came, experiment.lost_cells()};
}

// Sources take turns in what they are. Cells of CBR overtake those of UBR that wait: the more of the others
// are CBR, the longer. ABR's wait in the same queue as UBR's, but are not evicted: the more, the more UBR's
// are.
TEST(AtmSwitch, BackgroundMayBeOfSeveralCategoriesAtOnce) {
  constexpr auto cbr = ServiceCategory::cbr, abr = ServiceCategory::abr, ubr = ServiceCategory::ubr;
  const double none = beside({ubr}, 0).first, half = beside({cbr, ubr}, 0).first,
               most = beside({cbr, cbr, cbr, ubr}, 0).first, all = beside({cbr}, 0).first;
  EXPECT_LT(none, half);
  EXPECT_LT(half, most);
  EXPECT_LT(most, all);
  EXPECT_DOUBLE_EQ(none, beside({abr}, 0).first);
  EXPECT_DOUBLE_EQ(half, beside({cbr, abr}, 0).first);
  EXPECT_LT(beside({ubr}, 10).second, beside({abr, ubr}, 10).second);
  EXPECT_LT(beside({abr, ubr}, 10).second, beside({abr}, 10).second);
}

TEST(AtmConnections, AreNamedOnEveryLinkOfTheirWay) {
  EventQueue events;
  AtmNetwork network(events, chain(2, oc3), 1);
  const atm::Connection first =
      network.connection(network.open(PortId{0}, PortId{1}, TrafficContract::of(ServiceCategory::ubr)));
  const atm::Connection second =
      network.connection(network.open(PortId{0}, PortId{1}, TrafficContract::of(ServiceCategory::abr)));
  ASSERT_EQ(first.path.size(), 2U);
  EXPECT_EQ(first.path[0].out, first.path[1].in);
  EXPECT_EQ(first.path[0].in, (atm::ChannelName{0, 32}));  // ITU-T I.361 keeps 0 to 31
  for (const std::size_t hop : {0U, 1U}) {
    EXPECT_NE(first.path[hop].in, second.path[hop].in);
    EXPECT_NE(first.path[hop].out, second.path[hop].out);
  }
}

TEST(AtmConnections, MayEachHaveAListenerOfTheirOwn) {
  struct Listener : UnitListener {
    void unit_departed(UnitId id, PortId) override { departed.push_back(static_cast<std::uint64_t>(id)); }
    void unit_delivered(UnitId id, PortId) override { delivered.push_back(static_cast<std::uint64_t>(id)); }
    void unit_lost(UnitId id) override { lost.push_back(static_cast<std::uint64_t>(id)); }
    std::vector<std::uint64_t> departed, delivered, lost;
  } all, feedback;
  EventQueue events;
  AtmParameters parameters = chain(1, round_link, 3);
  parameters.switches.buffer = 1;
  AtmNetwork network(events, parameters, 1);
  network.report_to(all);
  const ChannelId ordinary = network.open(PortId{0}, PortId{2}, {});
  const ChannelId second = network.open(PortId{1}, PortId{2}, TrafficContract::of(ServiceCategory::vbr));
  network.report_to(second, feedback);
  network.inject(CellTrain{UnitId{1}, ordinary, 1});
  network.inject(CellTrain{UnitId{2}, second, 1});  // finds the buffer full
  while (!events.empty()) events.handle_next();
  using Ids = std::vector<std::uint64_t>;
  EXPECT_EQ(all.departed, Ids{1});
  EXPECT_EQ(all.delivered, Ids{1});
  EXPECT_EQ(all.lost, Ids{});
  EXPECT_EQ(feedback.departed, Ids{2});
  EXPECT_EQ(feedback.lost, Ids{2});
}

TEST(AtmTopology, SpreadsHostsFromTheFirstSwitchToTheLast) {
  const auto places = [](const topology::SwitchPlan& plan, std::size_t hosts) {
    std::vector<std::uint32_t> at;
    for (const auto& host : CablePlan::uniform(plan, hosts, oc3).hosts) at.push_back(host.at);
    return at;
  };
  using List = std::vector<std::uint32_t>;
  EXPECT_EQ(places(topology::chain(4), 2), (List{0, 3}));
  EXPECT_EQ(places(topology::chain(4), 5), (List{0, 1, 2, 2, 3}));
  EXPECT_EQ(places(topology::star(3), 4), (List{1, 1, 2, 2}));
}

TEST(AtmTopology, RefusesHostsThatNothingJoins) {
  CablePlan plan = chain_plan(2, oc3);
  plan.trunks.clear();
  const AtmParameters parameters = over(plan);
  EventQueue events;
  EXPECT_THROW(AtmNetwork(events, parameters, 1), Error);
}

// The idle cell of ITU-T I.432.1: 00 00 00 01 52.
TEST(AtmCell, HeadersCarryTheirErrorControl) {
  atm::CellHeader idle;
  idle.low_priority = true;
  EXPECT_EQ(atm::encode(idle), (std::array<std::uint8_t, 5>{0, 0, 0, 1, 0x52}));
  const atm::CellHeader header{3, 200, 40'000, false, true, true, false};
  auto octets = atm::encode(header);
  EXPECT_EQ(atm::decode(octets), header);
  octets[2] ^= 4;
  EXPECT_FALSE(atm::decode(octets));
}

}  // namespace
}  // namespace morgana::testing
