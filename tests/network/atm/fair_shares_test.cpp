#include <gtest/gtest.h>

#include "emulator/network/atm/cell_rate.h"
#include "emulator/network/atm/rate_algorithm.h"
#include "tests/network/atm/chain.h"
#include "tests/network/atm/experiment.h"

namespace morgana::testing {
namespace {
using namespace literals;
using atm::AbrFeedback;

constexpr std::int64_t link_rate = 155'520'000;
constexpr double cells_of_link = link_rate / 424.0;

struct Flow {
  std::uint32_t from, to;
  ServiceCategory category = ServiceCategory::abr;
};

/// Greedy flows through switches in a row, each with its own sending and receiving host.
struct Shares {
  std::vector<double> rates;  ///< data cells a second, over the second half of the time
  std::uint64_t lost_of_abr = 0;
};

class Greedy : private EventHandler, private UnitListener {
 public:
  Greedy(const AtmParameters& parameters, const std::vector<Flow>& flows)
      : network_(events_, parameters, 1), flows_(flows) {
    network_.report_to(*this);
    for (const Flow& flow : flows)
      channels_.push_back(
          network_.open(PortId{flow.from}, PortId{flow.to}, TrafficContract::of(flow.category)));
  }
  Shares run(SimTime time) {
    end_ = time;
    events_.schedule(SimTime(), *this, 0);
    std::vector<std::uint64_t> half;
    while (!events_.empty()) {
      events_.handle_next();
      if (half.empty() && events_.now() + events_.now() >= time) half = delivered_;
    }
    Shares shares;
    for (std::size_t flow = 0; flow < flows_.size(); ++flow) {
      shares.rates.push_back(static_cast<double>(delivered_[flow] - half[flow]) * 2 / time.seconds());
      if (flows_[flow].category == ServiceCategory::abr)
        shares.lost_of_abr += network_.connection(channels_[flow]).counters.cells_lost;
    }
    return shares;
  }

 private:
  static constexpr std::uint32_t cells = 10;
  void send(std::uint64_t flow) {
    if (events_.now() < end_) network_.inject(CellTrain{UnitId{flow}, channels_[flow], cells});
  }
  void handle(std::uint64_t) override {
    delivered_.assign(flows_.size(), 0);
    for (std::uint64_t flow = 0; flow < flows_.size(); ++flow) send(flow);
  }
  void unit_departed(UnitId id, PortId) override { send(static_cast<std::uint64_t>(id)); }
  void unit_delivered(UnitId id, PortId) override {
    if (events_.now() < end_) delivered_[static_cast<std::size_t>(id)] += cells;
  }
  void unit_lost(UnitId) override {}

  EventQueue events_;
  AtmNetwork network_;
  std::vector<Flow> flows_;
  std::vector<ChannelId> channels_;
  std::vector<std::uint64_t> delivered_;
  SimTime end_;
};

AtmParameters network_of(std::uint32_t switches, std::size_t hosts, AbrFeedback feedback) {
  AtmParameters parameters;
  parameters.network = chain_plan(switches, {BitRate(link_rate), 5_us}, hosts).graph();
  parameters.switches.policy = atm::DropPolicy::push_out;
  parameters.switches.buffer = 1000;
  parameters.switches.feedback.algorithm = feedback;
  parameters.rates.abr.initial = BitRate(link_rate / 20);
  return parameters;
}

/// Of each of so many greedy flows to one host.
void expect_fair_on(const AtmParameters& parameters, std::size_t flows, double of_link,
                    SimTime time = SimTime::from_ps(100'000'000'000)) {
  SCOPED_TRACE(::testing::Message() << flows << " flows");
  std::vector<Flow> all;
  for (std::uint32_t from = 1; from <= flows; ++from) all.push_back({from, 0});
  Greedy greedy(parameters, all);
  const Shares shares = greedy.run(time);
  const double fair = of_link * cells_of_link / static_cast<double>(flows) * 31 / 32;
  for (const double rate : shares.rates) EXPECT_NEAR(rate, fair, 0.1 * fair);
  EXPECT_EQ(shares.lost_of_abr, 0U);
}
void expect_fair(AbrFeedback feedback, std::size_t flows, double of_link) {
  expect_fair_on(network_of(1, flows + 1, feedback), flows, of_link);
}

// n greedy sources get the utilisation that the switch aims at, divided by n, less one cell in 32.
TEST(FairShares, OfGreedySourcesUnderErica) {
  for (const std::size_t flows : {1U, 2U, 5U, 10U}) expect_fair(AbrFeedback::erica, flows, 0.9);
}

TEST(FairShares, OfGreedySourcesUnderCapc) {
  for (const std::size_t flows : {1U, 2U, 5U, 10U}) expect_fair(AbrFeedback::capc, flows, 0.9);
}

// By default a source starts at the link's rate. The overload until the first rate is told, here of up to ten
// times the link, must not bring the rate down for good; the buffer holds it.
TEST(FairShares, OfGreedySourcesThatStartAtTheLinksRateUnderCapc) {
  for (const std::size_t flows : {2U, 4U, 10U}) {
    AtmParameters parameters = network_of(1, flows + 1, AbrFeedback::capc);
    parameters.rates.abr.initial = BitRate(0);
    parameters.switches.buffer = 0;
    expect_fair_on(parameters, flows, 0.9, SimTime::from_ps(200'000'000'000));
  }
}

// 100 km of fibre on each link: a rate is learned after 2 ms, two intervals later.
TEST(FairShares, OfDistantGreedySourcesUnderCapc) {
  for (const std::size_t flows : {2U, 4U}) {
    AtmParameters parameters = network_of(1, flows + 1, AbrFeedback::capc);
    for (Link& link : parameters.network.hosts) link.propagation = 500_us;
    parameters.switches.buffer = 0;
    expect_fair_on(parameters, flows, 0.9, SimTime::from_ps(200'000'000'000));
  }
}

// The rule by hand, interval by interval; each silent one counts, and in half a second of silence the rate
// goes up to the link's and no further.
TEST(RateAlgorithm, CapcChangesItsRateOnceAnInterval) {
  atm::FeedbackParameters parameters;
  parameters.algorithm = AbrFeedback::capc;
  const double link = 1e6;  // a cell takes 1 us
  const auto capc = atm::make_rate_algorithm(parameters, link);
  const auto told = [&](std::int64_t now) {
    atm::ResourceCell cell;
    cell.explicit_rate = atm::encode_rate(1e9);
    capc->backward(now, 0, cell, 0);
    return atm::decode_rate(cell.explicit_rate);
  };
  constexpr std::int64_t us = 1'000'000, ms = 1000 * us;
  // To the 16 bits of a rate, which lose less than 1 in 512.
  const auto expect_rate = [&](std::int64_t now, double rate) { EXPECT_NEAR(told(now), rate, rate / 500); };
  expect_rate(0, 0.9e6);
  // In the first millisecond 1800 cells come, twice the target: times 1 - 0.8, at least 0.5.
  for (int cell = 0; cell < 1800; ++cell) capc->offered(cell * us / 2, {});
  expect_rate(ms - 1, 0.9e6);
  expect_rate(ms, 0.45e6);
  // Then 990 cells, 1.1 of it: times 1 - 0.08.
  for (int cell = 0; cell < 990; ++cell) capc->offered(ms + cell * us, {});
  expect_rate(2 * ms, 0.414e6);
  // 450 cells, half of it: times 1.05. Nothing: times 1.1.
  for (int cell = 0; cell < 450; ++cell) capc->offered(2 * ms + cell * us, {});
  expect_rate(3 * ms, 0.4347e6);
  expect_rate(4 * ms, 0.47817e6);
  expect_rate(6 * ms, 0.47817e6 * 1.21);
  expect_rate(500 * ms, link);
  // CBR leaves half of the target, of which 495 cells are 1.1.
  for (int cell = 0; cell < 450; ++cell) capc->offered(500 * ms + cell * us, {.guaranteed = true});
  for (int cell = 0; cell < 495; ++cell) capc->offered(500 * ms + 500 * us + cell * us, {});
  expect_rate(501 * ms, link * 0.92);
}

// EPRCA aims at the whole link: its queue stays around the length from which on it is congested.
TEST(FairShares, OfGreedySourcesUnderEprca) {
  for (const std::size_t flows : {2U, 5U}) expect_fair(AbrFeedback::eprca, flows, 1.0);
}

// Three switches in a row. Trunk 0-1 carries A and B, trunk 1-2 carries A, C and D: a third of its target for
// each of these, and B gets all that A leaves of the first: max-min.
TEST(FairShares, AreMaxMinOverTwoBottlenecks) {
  for (const AbrFeedback feedback : {AbrFeedback::erica, AbrFeedback::capc}) {
    SCOPED_TRACE(static_cast<int>(feedback));
    AtmParameters parameters = network_of(3, 0, feedback);
    CablePlan plan = chain_plan(3, {BitRate(link_rate), 5_us}, 0);
    for (const std::uint32_t at : {0U, 0U, 1U, 1U, 1U, 2U, 2U, 2U})
      plan.hosts.push_back({at, {BitRate(link_rate), 5_us}});
    parameters.network = plan.graph();
    // A from 0 to 5, B from 1 to 4, C from 2 to 6, D from 3 to 7.
    Greedy greedy(parameters, {{0, 5}, {1, 4}, {2, 6}, {3, 7}});
    const Shares shares = greedy.run(SimTime::from_ps(200'000'000'000));
    const double target = 0.9 * cells_of_link * 31 / 32;
    EXPECT_NEAR(shares.rates[0], target / 3, target / 30);
    EXPECT_NEAR(shares.rates[1], target * 2 / 3, target * 2 / 30);
    EXPECT_NEAR(shares.rates[2], target / 3, target / 30);
    EXPECT_NEAR(shares.rates[3], target / 3, target / 30);
    EXPECT_EQ(shares.lost_of_abr, 0U);
  }
}

// What CBR takes is not there for ABR: the source's contract is 40 Mb/s of 155.52.
TEST(FairShares, AreOfWhatCbrLeaves) {
  AtmParameters parameters = network_of(1, 4, AbrFeedback::erica);
  parameters.rates.contracts = Contracts::shaped;
  parameters.rates.cbr.peak = atm::cells_per_second(BitRate(40'000'000));
  Greedy greedy(parameters, {{1, 0, ServiceCategory::cbr}, {2, 0}, {3, 0}});
  const Shares shares = greedy.run(SimTime::from_ps(100'000'000'000));
  EXPECT_NEAR(shares.rates[0], parameters.rates.cbr.peak, 0.001 * parameters.rates.cbr.peak);
  const double fair = (0.9 * cells_of_link - parameters.rates.cbr.peak) / 2 * 31 / 32;
  EXPECT_NEAR(shares.rates[1], fair, 0.1 * fair);
  EXPECT_NEAR(shares.rates[2], fair, 0.1 * fair);
}

// Poisson sources of UBR load half of the link, however many they are. A source of at most 80 Mb/s gets what
// they leave of the target, or its fair share among them if that is more, and no cell of it is lost. The
// interval is long because it is the mean load that the closed form knows: 15 cells of others in 30 are 15
// give or take 4.
TEST(FairShares, OfOneSourceAmongOthersThatDoNotObey) {
  for (const std::uint32_t others : {1U, 4U, 8U}) {
    SCOPED_TRACE(::testing::Message() << others << " others");
    AtmParameters parameters = network_of(1, 2, AbrFeedback::erica);
    parameters.rates.abr.peak = BitRate(80'000'000);
    parameters.switches.feedback.interval = 600;
    atm::BackgroundTraffic& background = parameters.switches.background;
    background.sources = others;
    background.on_share = 1;
    background.copy_probability = 1;
    background.set_load(0.5);
    Greedy greedy(parameters, {{1, 0}});
    const Shares shares = greedy.run(SimTime::from_ps(200'000'000'000));
    const double target = 0.9 * cells_of_link;
    const double fair = std::max(target / (others + 1), target - 0.5 * cells_of_link) * 31 / 32;
    EXPECT_NEAR(shares.rates[0], fair, 0.1 * fair);
    EXPECT_EQ(shares.lost_of_abr, 0U);
  }
}

// A CBR source that sends all it can through a switch that polices gets its contract and no more.
TEST(Policing, LetsThroughWhatConforms) {
  AtmParameters parameters = network_of(1, 2, AbrFeedback::none);
  parameters.rates.contracts = Contracts::policed;
  parameters.rates.cbr.peak = cells_of_link / 4;
  parameters.rates.cbr.tolerance = 1_us;  // the link's cells come in whole picoseconds
  EventQueue events;
  AtmNetwork network(events, parameters, 1);
  struct : UnitListener {
    void unit_departed(UnitId, PortId) override {}
    void unit_delivered(UnitId, PortId) override {}
    void unit_lost(UnitId) override {}
  } listener;
  network.report_to(listener);
  const ChannelId channel = network.open(PortId{0}, PortId{1}, TrafficContract::of(ServiceCategory::cbr));
  network.inject(CellTrain{UnitId{0}, channel, 1000});
  while (!events.empty()) events.handle_next();
  const atm::ConnectionCounters& counters = network.connection(channel).counters;
  EXPECT_EQ(counters.cells_in, 1000U);
  EXPECT_EQ(counters.cells_delivered, 250U);
  EXPECT_EQ(counters.policed, 750U);
  EXPECT_EQ(counters.cells_lost, 750U);
}

}  // namespace
}  // namespace morgana::testing
