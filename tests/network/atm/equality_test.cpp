#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/topology/cable_plan.h"
#include "tests/network/atm/experiment.h"
#include "tests/support/effort.h"

namespace morgana::testing {
namespace {
using namespace literals;

/// A small network, packets for it, and what may happen to them, all by chance.
struct Case {
  AtmParameters parameters;
  std::vector<PlannedTrain> plan;
};

class Maker {
 public:
  explicit Maker(std::uint64_t seed) : random_(seed, "atm case") {}

  /// Switches with priorities that tell ABR's sources their rates. Times are never round: which of a cell's
  /// going and a rate's coming is first in the same instant is not defined.
  Case make_with_rates() {
    Case made = make(true, false);
    keep_infinite_queues_stable(made.parameters);
    atm::FeedbackParameters& feedback = made.parameters.switches.feedback;
    feedback.algorithm = atm::AbrFeedback::erica;
    feedback.utilisation = 0.5 + 0.5 * random_.uniform();
    feedback.interval = static_cast<std::uint32_t>(1 + random_.below(40));
    atm::AbrParameters& abr = made.parameters.rates.abr;
    // Below every link's rate, or cells would keep the link's time and meet in the same instant after all.
    abr.peak = BitRate(12'000'000 + pick(88'000'000));
    abr.minimum = BitRate(10'000'000 + pick(1'000'000));
    if (random_.chance(0.5)) abr.initial = BitRate(1'000'000 + pick(50'000'000));
    abr.nrm = static_cast<std::uint32_t>(2 + random_.below(random_.chance(0.5) ? 6 : 40));
    if (random_.chance(0.5)) abr.trm = 10_us + time(2'000'000);
    if (random_.chance(0.5)) abr.adtf = 100_us + time(2'000'000);
    abr.increase = random_.chance(0.3) ? 1 : 1.0 / 16;
    if (random_.chance(0.3)) abr.missing = static_cast<std::uint32_t>(1 + random_.below(4));
    if (made.plan.size() > 8) made.plan.resize(8);
    for (PlannedTrain& train : made.plan)
      if (random_.chance(0.6)) train.category = ServiceCategory::abr;
    return made;
  }

  /// Long packets for outputs that have long queues already.
  Case make_with_backlogs() {
    Case made = make(false);
    atm::SwitchParameters& switches = made.parameters.switches;
    switches.background = background(0.2, random_.chance(0.5) ? 0.5 : 1.5);
    switches.buffer = random_.chance(0.3) ? 0 : 100 + pick(1000);
    switches.estimate_buffer = random_.chance(0.3) ? 50 + pick(500) : 0;
    const std::uint64_t longest = random_.chance(0.5) ? 80 : 500;
    for (PlannedTrain& train : made.plan)
      train.cells = 1 + static_cast<std::uint32_t>(random_.below(longest));
    return made;
  }

  Case make(bool with_priorities, bool may_be_round = true) {
    Case made;
    AtmParameters& parameters = made.parameters;
    // Half of the cases have round times, so that many things happen in the same instant.
    round_ = random_.chance(0.5) && may_be_round;
    const CablePlan plan = cables();
    parameters.network = plan.graph();
    atm::SwitchParameters& switches = parameters.switches;
    switches.delay = time(2000);
    switches.buffer = random_.chance(0.3) ? 0 : 1 + pick(random_.chance(0.5) ? 8 : 60);
    switches.policy = with_priorities ? atm::DropPolicy::push_out : atm::DropPolicy(random_.below(3));
    if (random_.chance(0.5)) switches.epd_threshold = 1 + pick(20);
    if (random_.chance(0.3)) switches.estimate_buffer = 1 + pick(30);
    switches.background_categories.clear();
    for (std::uint64_t more = 1 + random_.below(3); more > 0; --more)
      switches.background_categories.push_back(ServiceCategory(random_.below(4)));
    // Background that always goes first must leave something of the slowest link.
    const bool goes_first =
        with_priorities && std::ranges::any_of(switches.background_categories, is_guaranteed);
    if (random_.chance(0.6)) switches.background = goes_first ? background(0.1, 0.2) : background(0.3, 1.5);
    AtmInterface& interface = parameters.interface;
    if (random_.chance(0.5)) interface.send_per_cell = time(10'000);
    if (random_.chance(0.5)) interface.receive_per_cell = time(10'000);
    interface.serial = random_.chance(0.3);
    if (random_.chance(0.3)) interface.send_per_packet = time(30'000);
    if (random_.chance(0.3)) interface.receive_per_packet = time(30'000);
    const std::uint64_t hosts = plan.hosts.size();
    made.plan.resize(1 + random_.below(40));
    const std::uint64_t spread = random_.chance(0.5) ? 20'000 : 1'000'000;
    const std::uint64_t longest = random_.chance(0.3) ? 100 : 10;
    for (PlannedTrain& train : made.plan) {
      train.at = time(spread);
      train.to = static_cast<std::uint32_t>(random_.chance(0.3) ? 0 : random_.below(hosts));
      train.from = static_cast<std::uint32_t>((train.to + 1 + random_.below(hosts - 1)) % hosts);
      train.cells = 1 + static_cast<std::uint32_t>(random_.below(longest));
      train.category = ServiceCategory(random_.below(4));
    }
    std::stable_sort(made.plan.begin(), made.plan.end(),
                     [](const PlannedTrain& a, const PlannedTrain& b) { return a.at < b.at; });
    return made;
  }

 private:
  std::int64_t pick(std::uint64_t bound) { return static_cast<std::int64_t>(random_.below(bound)); }
  /// Below this many nanoseconds.
  SimTime time(std::uint64_t bound) {
    return round_ ? pick((bound + 999) / 1000) * 1_us : pick(bound * 1000) * 1_ps;
  }
  /// Limits background to 0.9 of the slowest link where buffers are infinite. At a load above 1 an output's
  /// queue grows without bound: a cell offered at time t leaves at about the load times t. Resource
  /// management cells pass such outputs on the way out and again on the way back, and these loads multiply.
  /// Packets sent within the first millisecond then keep a chain of five switches working for 5 simulated
  /// seconds, 10^8 steps of the reference, and all data are sent before the first rate comes back. ERICA
  /// under overload is tested by the cases with a finite buffer.
  static void keep_infinite_queues_stable(AtmParameters& parameters) {
    atm::BackgroundTraffic& traffic = parameters.switches.background;
    if (parameters.switches.buffer > 0 || traffic.sources == 0) return;
    const CablePlan plan = cable_plan_of(parameters.network);
    // Of the first host's link, in whose cell times background is given.
    const BitRate unit = plan.hosts.front().link.rate;
    BitRate slowest = unit;
    for (const CablePlan::Access& host : plan.hosts) slowest = std::min(slowest, host.link.rate);
    for (const CablePlan::Trunk& trunk : plan.trunks) slowest = std::min(slowest, trunk.link.rate);
    const double most =
        0.9 * static_cast<double>(slowest.bits_per_second()) / static_cast<double>(unit.bits_per_second());
    if (traffic.load() > most) traffic.set_load(most);
  }
  Link link() {
    // 424 Mb/s makes a cell last 1 us.
    const std::int64_t round_rates[] = {424'000'000, 212'000'000, 106'000'000};
    const std::int64_t rates[] = {155'520'000, 140'000'000, 622'080'000};
    return {BitRate(round_ ? round_rates[random_.below(3)] : rates[random_.below(3)]), time(3000)};
  }
  CablePlan cables() {
    const auto switches = static_cast<std::uint32_t>(1 + random_.below(5));
    const std::size_t hosts = 2 + random_.below(6);
    CablePlan plan;
    switch (random_.below(4)) {
      case 0:
        plan = CablePlan::uniform(topology::chain(switches), hosts, link());
        break;
      case 1:
        plan = CablePlan::uniform(topology::ring(switches), hosts, link());
        break;
      case 2:
        plan = CablePlan::uniform(topology::star(switches), hosts, link());
        break;
      default:
        plan.switches = switches;
        for (std::uint32_t s = 1; s < switches; ++s)
          plan.trunks.push_back({static_cast<std::uint32_t>(random_.below(s)), s, link()});
        for (std::uint64_t more = random_.below(3); more > 0 && switches > 1; --more) {
          const auto a = static_cast<std::uint32_t>(random_.below(switches));
          const auto b = static_cast<std::uint32_t>(random_.below(switches));
          if (a != b) plan.trunks.push_back({a, b, link()});
        }
        for (std::size_t h = 0; h < hosts; ++h)
          plan.hosts.push_back({static_cast<std::uint32_t>(random_.below(switches)), link()});
    }
    if (random_.chance(0.5))
      for (CablePlan::Trunk& trunk : plan.trunks) trunk.link = link();
    return plan;
  }
  atm::BackgroundTraffic background(double least, double most) {
    atm::BackgroundTraffic traffic;
    traffic.sources = static_cast<std::uint32_t>(1 + random_.below(4));
    traffic.copy_probability = random_.chance(0.6) ? 0.5 : (random_.chance(0.5) ? 1 : 0.3);
    traffic.constant = random_.chance(0.3);
    if (random_.chance(0.7)) {
      traffic.on_share = 0.2 + 0.6 * random_.uniform();
      traffic.mean_on = 1_us + time(100'000);
      traffic.low = random_.chance(0.5) ? 0 : 0.02;
    }
    traffic.set_load(least + (most - least) * random_.uniform());
    return traffic;
  }

  RandomStream random_;
  bool round_ = false;
};

void expect_same_counters(AtmExperiment& experiment, ReferenceAtm& reference) {
  const auto expected = reference.counters(experiment.events().now());
  for (std::uint32_t s = 0; s < expected.size(); ++s) {
    EXPECT_EQ(experiment.network().cells_seen(s), reference.cells_seen(s));
    EXPECT_EQ(experiment.network().estimated_lost(s), reference.estimated_lost(s));
    const auto counters = experiment.network().counters(s);
    ASSERT_EQ(counters.size(), expected[s].size());
    for (std::size_t output = 0; output < counters.size(); ++output) {
      SCOPED_TRACE(::testing::Message() << "switch " << s << ", output " << output);
      const atm::OutputCounters &ours = counters[output], &theirs = expected[s][output];
      EXPECT_EQ(ours.cells_in, theirs.cells_in);
      EXPECT_EQ(ours.cells_lost, theirs.cells_lost);
      EXPECT_EQ(ours.background_in, theirs.background_in);
      EXPECT_EQ(ours.background_lost, theirs.background_lost);
      EXPECT_EQ(ours.longest_queue, theirs.longest_queue);
      EXPECT_NEAR(ours.queue_seconds, theirs.queue_seconds, 1e-11 + 1e-9 * theirs.queue_seconds);
      EXPECT_NEAR(ours.busy_seconds, theirs.busy_seconds, 1e-11 + 1e-9 * theirs.busy_seconds);
    }
  }
}

template <class Make>
void expect_equality(std::uint64_t first_seed, std::uint64_t cases, Make make) {
  std::uint64_t lost = 0, sent = 0, joined = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + random_cases(cases); ++seed) {
    SCOPED_TRACE(::testing::Message() << "seed " << seed);
    Maker maker(seed);
    const Case made = make(maker);
    ReferenceAtm reference(made.parameters, seed);
    const std::vector<Fate> expected = reference.run(made.plan);
    AtmExperiment experiment(made.parameters, seed);
    ASSERT_EQ(experiment.run(made.plan), expected);
    experiment.expect_conservation();
    std::uint64_t lost_in_reference = 0;
    for (std::size_t train = 0; train < made.plan.size(); ++train) {
      lost_in_reference += reference.lost_cells(train);
      sent += made.plan[train].cells;
    }
    expect_same_counters(experiment, reference);
    ASSERT_EQ(experiment.lost_cells(), lost_in_reference + reference.resource_lost());
    ASSERT_EQ(experiment.joined_packets(), reference.joined_packets());
    ASSERT_FALSE(::testing::Test::HasFailure());
    lost += lost_in_reference;
    joined += reference.joined_packets();
  }
  // The cases are worth something only if losses are neither rare nor the rule.
  EXPECT_GT(20 * lost, sent);
  EXPECT_LT(2 * lost, sent);
  // Packets that AAL5 joins are rare; a part of the cases may have none.
  if (random_cases(cases) == cases) {
    EXPECT_GT(joined, cases / 200);
  }
}

TEST(AtmNetwork, AgreesWithTheReferenceInEveryTimeAndLossWithQueuesThatAreFirstInFirstOut) {
  expect_equality(1, 4000, [](Maker& maker) { return maker.make(false); });
}

TEST(AtmNetwork, AgreesWithTheReferenceInEveryTimeAndLossWhereOutputsKeepBacklogs) {
  expect_equality(30'001, 200, [](Maker& maker) { return maker.make_with_backlogs(); });
}

TEST(AtmNetwork, AgreesWithTheReferenceInEveryTimeAndLossWithPrioritiesAndPushOut) {
  expect_equality(10'001, 2000, [](Maker& maker) { return maker.make(true); });
}

TEST(AtmNetwork, AgreesWithTheReferenceInEveryTimeAndLossWhereEricaTellsRates) {
  expect_equality(20'001, 1000, [](Maker& maker) { return maker.make_with_rates(); });
}

}  // namespace
}  // namespace morgana::testing
