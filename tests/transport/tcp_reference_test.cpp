// Tcp and the plain model of its rules over the same network: each unit, each report and each counter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/transport/tcp/tcp.h"
#include "tests/transport/drawn_case.h"
#include "tests/transport/reference_tcp.h"
#include "tests/transport/scripted_network.h"

namespace morgana::testing::tcp_reference {
namespace {

using Control = TcpParameters::Control;

/// A random network, parameters and messages; the same for the same seed.
class TcpCase : public DrawnCase {
 public:
  explicit TcpCase(std::uint64_t seed) : DrawnCase(seed, "tcp case") {
    choose_parameters();
    choose_network();
    choose_plan();
  }

  TcpParameters parameters;
  Bytes largest;

  ScriptedNetwork::Fate fate(const Unit& unit, std::uint64_t ordinal) const {
    RandomStream random = fate_stream(unit, ordinal);
    ScriptedNetwork::Fate fate;
    fate.latency = latency_of(
        unit, random, [&] { return latency_ * 2 + static_cast<std::int64_t>(random.below(1'000'000)); });
    if (ordinal < late_) fate.latency += SimTime::from_ps(static_cast<std::int64_t>(random.below(late_by_)));
    fate.lost = random.below(1000) < loss_ || is_dark(ordinal);
    fate.marked = random.below(1000) < marks_;
    return fate;
  }

 private:
  SimTime micro(std::int64_t least, std::int64_t most) {
    return SimTime::from_ps(range(least * 1'000'000, most * 1'000'000));
  }

  void choose_parameters() {
    TcpParameters& p = parameters;
    p.header = Bytes(range(1, 20));
    p.timestamps = coin();
    p.sack = coin();
    p.recovery = p.sack && coin() ? TcpParameters::Recovery::prr : TcpParameters::Recovery::pipe;
    p.message_header = Bytes(range(1, 80));
    const std::int64_t segment = range(1, 40);
    largest = p.header + Bytes(p.timestamps ? 12 : 0) + Bytes(segment);
    const auto buffer = [&] { return Bytes(coin() ? 100'000 : range(2 * segment, 20 * segment)); };
    p.send_buffer = buffer();
    p.receive_buffer = buffer();
    p.handshake = coin();
    p.nagle = coin();
    p.acknowledge_every = range(1, 4);
    p.acknowledge_delay = one_of({micro(1, 30), micro(30, 500), micro(40'000, 40'001)});
    p.quick_acknowledgements = one_of({0, 3, 16});
    p.least_timeout = one_of({micro(1, 20), micro(100, 300), micro(1'000, 2'000), micro(200'000, 200'001)});
    p.first_timeout = one_of({micro(50, 300), micro(1'000, 2'000), micro(1'000'000, 1'000'001)});
    p.most_timeout =
        p.first_timeout + one_of({micro(0, 0), micro(1'000, 2'000), micro(60'000'000, 60'000'001)});
    p.least_timeout = std::min(p.least_timeout, p.most_timeout);
    p.tries = one_of({0, 1, 2, 3, 15, 15, 15});
    p.handshake_tries = one_of({0, 1, 2, 3, 6, 6, 6});
    p.control = one_of({Control::new_reno, Control::cubic, Control::dctcp});
    p.ecn = coin();
    p.restart_after_idle = coin();
    p.window.initial = one_of({1, 2, 3, 10});
    p.window.byte_counting = range(1, 3);
    p.window.slow_start = one_of({0, 0, 1, 4, 12});
    p.cubic.fast_convergence = coin();
    p.cubic.aggressiveness = one_of({0.4, 1e6, 1e9});
    p.dctcp.first_alpha = one_of({0.0, 0.5, 1.0});
    p.traffic_class = static_cast<unsigned>(below(8));
    p.send_latency = one_of({SimTime(), micro(0, 5)});
    p.receive_latency = one_of({SimTime(), micro(0, 5)});
    p.delivery_latency = one_of({SimTime(), micro(0, 5)});
  }

  void choose_network() {
    byte_time = SimTime::from_ps(range(50, 20'000));
    latency_ = range(1'000'000, 60'000'000);
    choose_latencies();
    if (below(4) == 0) {  // of the handshake, too
      late_ = 1 + below(6);
      late_by_ = 3 * static_cast<std::uint64_t>(parameters.first_timeout.ps());
    }
    marks_ = one_of<std::uint64_t>({0, 10, 100, 500});
    choose_darkness(40, 30);
  }

  void choose_plan() {
    const std::int64_t segment = largest.count();
    std::int64_t at = range(0, 1'000'000);
    if (below(5) == 0) {  // many small ones on one connection
      for (auto messages = range(10, 60); messages > 0; --messages) {
        const auto from = static_cast<std::uint32_t>(below(8) == 0 ? 1 : 0);
        plan.push_back({at, from, 1 - from, range(0, segment / 2), 0, coin()});
        at += range(1, 2 * segment) * byte_time.ps();
      }
    }
    const auto messages = range(1, 14);
    for (std::int64_t message = 0; message < messages; ++message) {
      const auto from = static_cast<std::uint32_t>(below(hosts));
      const auto to = static_cast<std::uint32_t>((from + 1 + below(hosts - 1)) % hosts);
      const std::int64_t most = one_of<std::int64_t>({0, 3, 10, 10, 40, 120});
      plan.push_back({at, from, to, range(0, most * segment), below(2), coin()});
      at += one_of(
          {range(1, 100'000), range(1, 30'000'000), range(1, 1'000'000'000), range(1, 2'000'000'000'000)});
    }
  }

  std::uint64_t late_ = 0, late_by_ = 1;
};

struct TcpNetwork final : ScriptedNetwork {
  TcpNetwork(EventQueue& queue, const TcpCase& all)
      : ScriptedNetwork(queue, all.hosts, all.largest, all.byte_time,
                        [&all](const Unit& unit, std::uint64_t ordinal) { return all.fate(unit, ordinal); }) {
  }
};

template <class Model>
using TcpModelRun = ModelRun<Model, TcpNetwork, TcpCase>;

/// The counters of the plain model in the order of Tcp's table.
std::vector<CounterTable::Value> row_of(const ReferenceTcp::Counters& all) {
  return {all.opened,           all.sent.segments,        all.sent.repeated,
          all.acknowledgements, all.sent.fast_recoveries, all.sent.timeouts,
          all.marked,           all.sent.reductions,      all.failed};
}

/// Compares flows of the two models, which number them as they like.
class SameFlows {
 public:
  bool operator()(const Unit& unit, const Unit& expected) {
    return entropy_.try_emplace(expected.entropy, unit.entropy).first->second == unit.entropy;
  }

 private:
  std::map<std::uint32_t, std::uint32_t> entropy_;  // of the shipped model, by the plain one's
};

struct Compared {
  ReferenceTcp::Counters sum;
  Outcomes outcomes;
};

/// Cases with seeds from 0 on.
void compare_cases(std::uint64_t cases, bool rack, Compared& compared) {
  auto& [sum, outcomes] = compared;
  const auto add = [](std::int64_t& to, const CounterTable::Value& value) {
    to += std::get<std::int64_t>(value);
  };
  for (std::uint64_t seed = 0; seed < cases; ++seed) {
    TcpCase both(seed);
    if (rack) {
      both.parameters.sack = true;
      both.parameters.loss_detection = TcpParameters::LossDetection::rack;
      both.parameters.timer_margin = SimTime::from_ps(static_cast<std::int64_t>(seed % 3 * 7'000'003));
    }
    const TcpModelRun<ReferenceTcp> reference(both);
    if (reference.model.had_ties()) {
      ++outcomes.ties;
      continue;
    }
    const TcpModelRun<Tcp> shipped(both);
    compare_units(shipped, reference, SameFlows());
    outcomes.compare(shipped, reference);
    std::vector<CounterTable::Value> row = row_of(reference.model.counters());
    if (rack) row.emplace_back(reference.model.counters().sent.probes);
    EXPECT_EQ(shipped.model.counted().at(0).rows.at(0), row);
    if (::testing::Test::HasFailure()) FAIL() << "seed " << seed;
    add(sum.sent.repeated, row[2]);
    add(sum.sent.fast_recoveries, row[4]);
    add(sum.sent.timeouts, row[5]);
    add(sum.sent.reductions, row[7]);
    add(sum.failed, row[8]);
    if (rack) add(sum.sent.probes, row[9]);
  }
}

TEST(TcpReference, SendsAndReportsTheSameInThousandsOfCases) {
  Compared compared;
  compare_cases(3'500, false, compared);
  const auto& [sum, outcomes] = compared;
  // Each kind of event took place often enough to have been compared.
  EXPECT_LT(outcomes.ties, 200U);
  EXPECT_GT(outcomes.delivered, 15'000U);
  EXPECT_GT(outcomes.returned, 3'000U);
  EXPECT_GT(sum.sent.repeated, 100'000);
  EXPECT_GT(sum.sent.fast_recoveries, 10'000);
  EXPECT_GT(sum.sent.timeouts, 50'000);
  EXPECT_GT(sum.sent.reductions, 20'000);
  EXPECT_GT(sum.failed, 3'000);
}

TEST(TcpReference, SendsAndReportsTheSameWithRackInThousandsOfCases) {
  Compared compared;
  compare_cases(1'000, true, compared);
  const auto& [sum, outcomes] = compared;
  EXPECT_LT(outcomes.ties, 200U);
  EXPECT_GT(outcomes.delivered, 4'000U);
  EXPECT_GT(sum.sent.repeated, 20'000);
  EXPECT_GT(sum.sent.fast_recoveries, 2'500);
  EXPECT_GT(sum.sent.timeouts, 5'000);
  EXPECT_GT(sum.sent.probes, 1'500);
}

}  // namespace
}  // namespace morgana::testing::tcp_reference
