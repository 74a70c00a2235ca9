#include "tests/network/fabric/random_fabrics.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "tests/network/fabric/reference_fabric.h"
#include "tests/support/effort.h"

// Properties that docs/fabric.md states for every outcome, checked from the starts alone.

namespace morgana::testing {
namespace {

/// An outcome of a random case, and what follows from it.
class CarriedFabric {
 public:
  explicit CarriedFabric(std::uint64_t seed)
      : given_(random_fabric(seed)),
        links_(given_.network.links()),
        outcome_(reference_fabric(given_.network, given_.parameters, *given_.routing, given_.plan,
                                  given_.faults)) {}

  const FabricOutcome& outcome() const { return outcome_; }
  const FabricCase& given() const { return given_; }

  void check() const {
    for (std::size_t packet = 0; packet < given_.plan.size(); ++packet) check_way(packet);
    check_channels();
    check_inputs();
    check_buffers();
    check_shared_buffers();
    check_end();
  }

 private:
  const fabric::FabricParameters& parameters() const { return given_.parameters; }
  const SwitchGraph& graph() const { return given_.network.graph; }
  bool has_credits() const { return parameters().flow_control == fabric::FlowControl::credits; }
  bool has_pauses() const { return parameters().flow_control == fabric::FlowControl::pause; }
  bool has_crossbar() const { return parameters().queueing != fabric::Queueing::output_queues; }
  bool has_two_stages() const { return has_crossbar() && parameters().output_queue > Bytes(0); }
  Bytes size(std::size_t packet) const { return parameters().packet.on_link(given_.plan[packet].payload); }
  SimTime sending(std::size_t packet, const FabricHop& hop) const {
    return links_[hop.channel].rate.time_for(size(packet));
  }
  SimTime end(std::size_t packet, const FabricHop& hop) const { return hop.start + sending(packet, hop); }

  void check_way(std::size_t packet) const {
    const FabricInjection& unit = given_.plan[packet];
    const FabricFate& fate = outcome_.fates[packet];
    EXPECT_FALSE(fate.delivered && fate.lost);
    if (fate.hops.empty()) {
      EXPECT_EQ(fate.departed, fate.lost) << "a host whose cable is down discards it";
      return;
    }
    const FabricHop& first = fate.hops.front();
    EXPECT_EQ(first.channel, graph().channel_from(unit.from));
    EXPECT_GE(first.start, unit.at + parameters().injection_latency);
    EXPECT_EQ(fate.departed, end(packet, first));
    const unsigned of_class = given_.routing->virtual_channels() * parameters().lanes;
    for (std::size_t hop = 0; hop < fate.hops.size(); ++hop) {
      EXPECT_EQ(fate.hops[hop].virtual_channel / of_class, unit.traffic_class);
      if (hop > 0) check_forwarding(packet, fate.hops[hop - 1], fate.hops[hop]);
    }
    const Neighbour last = graph().receiver(fate.hops.back().channel);
    if (!fate.delivered) return;
    ASSERT_TRUE(last.is_host());
    EXPECT_EQ(last.id, unit.to);
    const SimTime tail = end(packet, fate.hops.back()) + links_[fate.hops.back().channel].propagation;
    if (parameters().ejection == BitRate(0)) {
      EXPECT_EQ(fate.delivered, tail + parameters().delivery_latency);
    } else {
      EXPECT_GE(*fate.delivered, tail + parameters().delivery_latency);
      EXPECT_GE(*fate.delivered, tail - sending(packet, fate.hops.back()) +
                                     parameters().ejection.time_for(size(packet)) +
                                     parameters().delivery_latency);
    }
  }

  void check_forwarding(std::size_t packet, const FabricHop& from, const FabricHop& to) const {
    EXPECT_EQ(graph().receiver(from.channel).id, graph().sending_port(to.channel).at);
    const SimTime delay = links_[from.channel].propagation + parameters().latency;
    const bool stores = parameters().forwarding == fabric::Forwarding::store_and_forward;
    EXPECT_GE(to.start, (stores ? end(packet, from) : from.start) + delay);
    EXPECT_GE(end(packet, to), end(packet, from) + delay);
  }

  /// One after the other, with gaps; each is counted.
  void check_channels() const {
    std::map<CableChannel, std::vector<std::pair<SimTime, SimTime>>> spans;
    std::vector<FabricChannelCount> counts(graph().channels());
    for (std::size_t packet = 0; packet < given_.plan.size(); ++packet)
      for (const FabricHop& hop : outcome_.fates[packet].hops) {
        const SimTime gap = links_[hop.channel].rate.time_for(parameters().packet.gap);
        spans[hop.channel].emplace_back(hop.start, end(packet, hop) + gap);
        ++counts[hop.channel].packets;
        counts[hop.channel].bytes += size(packet);
      }
    for (auto& [channel, of_channel] : spans) expect_apart(std::move(of_channel));
    EXPECT_EQ(outcome_.channels, counts);
  }

  /// An input without queues behind it sends one packet at a time, as fast as the faster of its link and the
  /// output's.
  void check_inputs() const {
    if (!has_crossbar() || has_two_stages()) return;
    std::map<CableChannel, std::vector<std::pair<SimTime, SimTime>>> spans;
    for (std::size_t packet = 0; packet < given_.plan.size(); ++packet) {
      const std::vector<FabricHop>& hops = outcome_.fates[packet].hops;
      for (std::size_t hop = 1; hop < hops.size(); ++hop)
        spans[hops[hop - 1].channel].emplace_back(
            hops[hop].start,
            hops[hop].start + std::min(sending(packet, hops[hop - 1]), sending(packet, hops[hop])));
    }
    for (auto& [channel, of_input] : spans) expect_apart(std::move(of_input));
  }

  static void expect_apart(std::vector<std::pair<SimTime, SimTime>> spans) {
    std::sort(spans.begin(), spans.end());
    for (std::size_t i = 1; i < spans.size(); ++i) EXPECT_GE(spans[i].first, spans[i - 1].second);
  }

  std::int64_t capacity(CableChannel channel) const {
    const Neighbour receiver = graph().receiver(channel);
    if (receiver.is_nothing()) return 0;
    return (receiver.is_host() ? parameters().host_buffer : parameters().buffer).count() /
           parameters().credit_unit.count();
  }

  /// No more units are under way, in a buffer or on their way back than there are.
  void check_buffers() const {
    if (!has_credits() || has_two_stages()) return;
    // By channel and virtual channel, then by time: what comes back first, as it counts from its instant on.
    std::map<std::pair<CableChannel, VirtualChannel>, std::vector<std::pair<SimTime, std::int64_t>>> changes;
    for (std::size_t packet = 0; packet < given_.plan.size(); ++packet) {
      const FabricFate& fate = outcome_.fates[packet];
      const std::int64_t unit = parameters().credit_unit.count();
      const std::int64_t units = (size(packet).count() + unit - 1) / unit;
      for (std::size_t hop = 0; hop < fate.hops.size(); ++hop) {
        const FabricHop& here = fate.hops[hop];
        auto& of_buffer = changes[{here.channel, here.virtual_channel}];
        of_buffer.emplace_back(here.start, units);
        const bool is_last = hop + 1 == fate.hops.size();
        if (is_last && !fate.delivered && !fate.lost) continue;
        const SimTime free = !is_last         ? end(packet, fate.hops[hop + 1])
                             : fate.delivered ? *fate.delivered - parameters().delivery_latency
                                              : *fate.lost;
        of_buffer.emplace_back(free + links_[here.channel].propagation + parameters().credit_delay, -units);
      }
    }
    const std::size_t virtual_channels = outcome_.free_units.size() / graph().channels();
    for (auto& [buffer, of_buffer] : changes) {
      std::sort(of_buffer.begin(), of_buffer.end());
      std::int64_t absent = 0;
      for (const auto& [at, units] : of_buffer) {
        absent += units;
        EXPECT_LE(absent, capacity(buffer.first));
      }
      EXPECT_EQ(outcome_.free_units[buffer.first * virtual_channels + buffer.second],
                capacity(buffer.first) - absent);
    }
  }

  /// What passes through a switch is in its memory from when it is ready until it has left.
  void check_shared_buffers() const {
    if (parameters().shared.size == Bytes(0)) return;
    // By switch, then by time: what leaves first.
    std::map<SwitchId, std::vector<std::pair<SimTime, std::int64_t>>> changes;
    for (std::size_t packet = 0; packet < given_.plan.size(); ++packet) {
      const std::vector<FabricHop>& hops = outcome_.fates[packet].hops;
      for (std::size_t hop = 1; hop < hops.size(); ++hop) {
        auto& of_switch = changes[graph().receiver(hops[hop - 1].channel).id];
        const SimTime head = hops[hop - 1].start + links_[hops[hop - 1].channel].propagation;
        const bool stores = parameters().forwarding == fabric::Forwarding::store_and_forward;
        const SimTime there = stores ? head + sending(packet, hops[hop - 1]) : head;
        of_switch.emplace_back(there + parameters().latency, size(packet).count());
        of_switch.emplace_back(end(packet, hops[hop]), -size(packet).count());
      }
    }
    for (auto& [at, of_switch] : changes) {
      std::sort(of_switch.begin(), of_switch.end());
      std::int64_t held = 0;
      for (const auto& [when, bytes] : of_switch) {
        held += bytes;
        EXPECT_LE(held, parameters().shared.size.count());
      }
    }
  }

  void check_end() const {
    const bool all_ended = std::all_of(outcome_.fates.begin(), outcome_.fates.end(),
                                       [](const FabricFate& fate) { return fate.delivered || fate.lost; });
    EXPECT_TRUE(all_ended || has_credits() || has_pauses()) << "without flow control nothing deadlocks";
    EXPECT_EQ(outcome_.free_units.empty(), !has_credits());
    if (!all_ended || !has_credits()) return;
    const std::size_t virtual_channels = outcome_.free_units.size() / graph().channels();
    for (std::size_t at = 0; at < outcome_.free_units.size(); ++at)
      EXPECT_EQ(outcome_.free_units[at], capacity(static_cast<CableChannel>(at / virtual_channels)));
  }

  FabricCase given_;
  std::vector<Link> links_;
  FabricOutcome outcome_;
};

TEST(RandomFabrics, KeepTheRules) {
  for (std::uint64_t seed = 0; seed < random_cases(960); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    CarriedFabric(seed).check();
    if (HasFailure()) return;
  }
}

bool has_pause_frames(const FabricOutcome& outcome) {
  return std::any_of(outcome.pause_frames.begin(), outcome.pause_frames.end(),
                     [](std::uint64_t frames) { return frames > 0; });
}

/// Whether a packet was lost at its last switch, where every packet has a way and no queue is given up.
bool has_full_buffers(const FabricCase& given, const FabricOutcome& outcome) {
  if (!given.faults.empty() || given.parameters.bit_error_rate > 0 || outcome.given_up > 0) return false;
  for (std::size_t packet = 0; packet < given.plan.size(); ++packet) {
    const FabricFate& fate = outcome.fates[packet];
    const SwitchId last = given.network.graph.port_of(given.plan[packet].to).at;
    if (fate.lost && given.network.graph.receiver(fate.hops.back().channel).id == last) return true;
  }
  return false;
}

// So that what compares models by random cases says something about these rules.
TEST(RandomFabrics, PauseLoseAndMark) {
  unsigned seeds = 0, with_frames = 0, full_without_pauses = 0, full_in_spite_of_pauses = 0, with_marks = 0;
  for (std::uint64_t seed = 96; seed < 960; ++seed) {
    if (seed / 48 % 3 != 2) continue;
    ++seeds;
    const CarriedFabric carried(seed);
    const bool has_pauses = carried.given().parameters.flow_control == fabric::FlowControl::pause;
    const bool is_full = has_full_buffers(carried.given(), carried.outcome());
    with_frames += has_pause_frames(carried.outcome()) ? 1 : 0;
    (has_pauses ? full_in_spite_of_pauses : full_without_pauses) += is_full ? 1 : 0;
    with_marks += std::any_of(carried.outcome().fates.begin(), carried.outcome().fates.end(),
                              [](const FabricFate& fate) { return fate.marked; })
                      ? 1
                      : 0;
  }
  EXPECT_GT(with_frames, seeds / 4);
  EXPECT_GT(full_without_pauses, seeds / 8);
  EXPECT_GT(full_in_spite_of_pauses, seeds / 50);
  EXPECT_GT(with_marks, seeds / 4);
}

// With each way to wait in a switch, each time at which packets are looked at, and each choice of victims.
TEST(RandomFabrics, MarkRootsAndKnowVictims) {
  using Kind = std::tuple<fabric::Queueing, bool, fabric::MarkWhen, fabric::MarkVictims>;
  struct Count {
    unsigned seeds = 0, roots = 0, victims = 0, spared = 0;  // cases with such packets
  };
  std::map<Kind, Count> kinds;
  for (std::uint64_t seed = 0; seed < 4'320; ++seed) {
    const FabricCase given = random_fabric(seed);
    const fabric::FabricParameters& parameters = given.parameters;
    if (parameters.flow_control != fabric::FlowControl::credits || parameters.marks.to == Bytes(0)) continue;
    const FabricMarkCounts marks =
        reference_fabric(given.network, parameters, *given.routing, given.plan, given.faults).marks;
    const bool queues_behind_crossbar =
        parameters.queueing != fabric::Queueing::output_queues && parameters.output_queue > Bytes(0);
    Count& count =
        kinds[{parameters.queueing, queues_behind_crossbar, parameters.marks.when, parameters.marks.victims}];
    ++count.seeds;
    count.roots += marks.roots > 0 ? 1 : 0;
    count.victims += marks.victims > 0 ? 1 : 0;
    count.spared += marks.spared > 0 ? 1 : 0;
  }
  EXPECT_EQ(kinds.size(), 5U * 2 * 3);
  for (const auto& [kind, count] : kinds) {
    const auto& [queueing, queues_behind_crossbar, when, victims] = kind;
    SCOPED_TRACE(fmt::format("queueing {}, crossbar {}, when {}, victims {}", static_cast<int>(queueing),
                             queues_behind_crossbar, static_cast<int>(when), static_cast<int>(victims)));
    EXPECT_GT(count.roots, 0U) << "of " << count.seeds;
    EXPECT_EQ(count.victims > 0, victims != fabric::MarkVictims::none) << "of " << count.seeds;
    EXPECT_EQ(count.spared > 0, victims != fabric::MarkVictims::all) << "of " << count.seeds;
  }
}

/// Whether a host in a storm sent a pause frame.
bool has_storm_frames(const FabricCase& given, const FabricOutcome& outcome) {
  return std::any_of(given.parameters.storms.begin(), given.parameters.storms.end(),
                     [&](const fabric::PauseStorm& storm) {
                       return outcome.pause_frames[given.network.graph.channel_from(storm.host)] > 0;
                     });
}

TEST(RandomFabrics, GiveQueuesUpAndRestoreThem) {
  unsigned seeds = 0, with_storms = 0, given_up = 0, several = 0, restored = 0, stopped = 0;
  for (std::uint64_t seed = 96; seed < 960; ++seed) {
    const FabricCase given = random_fabric(seed);
    if (given.parameters.flow_control != fabric::FlowControl::pause) continue;
    ++seeds;
    const FabricOutcome outcome =
        reference_fabric(given.network, given.parameters, *given.routing, given.plan, given.faults);
    with_storms += has_storm_frames(given, outcome) ? 1 : 0;
    given_up += outcome.given_up > 0 ? 1 : 0;
    several += outcome.given_up > 1 ? 1 : 0;
    restored += outcome.restored > 0 ? 1 : 0;
    stopped += std::any_of(outcome.fates.begin(), outcome.fates.end(),
                           [](const FabricFate& fate) { return !fate.delivered && !fate.lost; })
                   ? 1
                   : 0;
  }
  EXPECT_GT(with_storms, seeds / 2);
  EXPECT_GT(given_up, seeds / 4);
  EXPECT_GT(several, seeds / 8);
  EXPECT_GT(restored, seeds / 4);
  EXPECT_GT(stopped, seeds / 50) << "storms without end";
}

TEST(RandomFabrics, ShareChannelsByDeficitRoundRobin) {
  unsigned seeds = 0, all_strict = 0, some_strict = 0, weights_differ = 0;
  for (std::uint64_t seed = 0; seed < 960; ++seed, ++seeds) {
    const fabric::FabricParameters parameters = random_fabric(seed).parameters;
    const std::vector<unsigned>& weights = parameters.class_weights;
    if (parameters.lane_arbitration != fabric::LaneArbitration::deficit_round_robin) continue;
    const std::set<unsigned> different(weights.begin(), weights.end());
    const bool has_strict = different.contains(0);
    all_strict += has_strict && different.size() == 1 ? 1 : 0;
    some_strict += has_strict && different.size() > 1 ? 1 : 0;
    weights_differ += different.size() > (has_strict ? 2U : 1U) ? 1 : 0;
  }
  EXPECT_GT(all_strict, seeds / 50);
  EXPECT_GT(some_strict, seeds / 25);
  EXPECT_GT(weights_differ, seeds / 25);
}

TEST(RandomFabrics, LoseNothingWithPausesAndTheComputedHeadroom) {
  unsigned with_frames = 0;
  const std::uint64_t seeds = random_cases(480);
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const FabricCase given = RandomFabric(seed, RandomFabric::Kind::pauses_without_loss).draw();
    const FabricOutcome outcome =
        reference_fabric(given.network, given.parameters, *given.routing, given.plan);
    with_frames += has_pause_frames(outcome) ? 1 : 0;
    for (const FabricFate& fate : outcome.fates) EXPECT_FALSE(fate.lost);
    if (HasFailure()) return;
  }
  EXPECT_GT(with_frames, seeds / 2);
}

}  // namespace
}  // namespace morgana::testing
