// Tcp and the plain model of its rules over the same network: each unit, each report and each counter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/transport/tcp/tcp.h"
#include "tests/transport/reference_tcp.h"
#include "tests/transport/scripted_network.h"

namespace morgana::testing::tcp_reference {
namespace {

using Control = TcpParameters::Control;

/// A random network, parameters and messages; the same for the same seed.
class TcpCase {
 public:
  explicit TcpCase(std::uint64_t seed) : random_(seed, "tcp case"), seed_(seed) {
    hosts = 2 + below(3);
    choose_parameters();
    choose_network();
    choose_plan();
  }

  std::size_t hosts;
  TcpParameters parameters;
  Bytes largest;
  SimTime byte_time;
  std::vector<TcpPlanned> plan;

  /// Of a unit, by its number between its ports alone.
  ScriptedNetwork::Fate fate(const Unit& unit, std::uint64_t ordinal) const {
    const std::uint64_t pair =
        static_cast<std::uint64_t>(unit.from) * 4 + static_cast<std::uint64_t>(unit.to);
    RandomStream random((seed_ * 16 + pair) * 1'000'000 + ordinal, "fate");
    ScriptedNetwork::Fate fate;
    fate.latency =
        SimTime::from_ps(latency_ + static_cast<std::int64_t>(pair * 77'773 + random.below(spread_)));
    if (random.below(100) < slow_)
      fate.latency += SimTime::from_ps(latency_ * 2 + static_cast<std::int64_t>(random.below(1'000'000)));
    if (ordinal < late_) fate.latency += SimTime::from_ps(static_cast<std::int64_t>(random.below(late_by_)));
    fate.lost = random.below(1000) < loss_ || (ordinal >= dark_from_ && ordinal < dark_to_);
    fate.marked = random.below(1000) < marks_;
    return fate;
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
  bool coin() { return below(2) == 0; }
  template <class T>
  T one_of(std::initializer_list<T> all) {
    return *(all.begin() + below(all.size()));
  }
  std::int64_t range(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(below(static_cast<std::uint64_t>(most - least + 1)));
  }
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
    spread_ = static_cast<std::uint64_t>(
        one_of<std::int64_t>({5'000, 5'000, range(1'000, 200'000), latency_ / 2, latency_ * 2}));
    slow_ = below(3) == 0 ? below(20) : 0;
    loss_ = one_of<std::uint64_t>({0, 0, 5, 20, 50, 200, 400});
    if (below(4) == 0) {  // of the handshake, too
      late_ = 1 + below(6);
      late_by_ = 3 * static_cast<std::uint64_t>(parameters.first_timeout.ps());
    }
    marks_ = one_of<std::uint64_t>({0, 10, 100, 500});
    if (below(4) == 0) {
      dark_from_ = below(40);
      dark_to_ = dark_from_ + below(30);
    }
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

  RandomStream random_;
  std::uint64_t seed_;
  std::int64_t latency_ = 0;
  std::uint64_t spread_ = 1, slow_ = 0, loss_ = 0, marks_ = 0, dark_from_ = 0, dark_to_ = 0, late_ = 0,
                late_by_ = 1;
};

/// What a model did.
struct TcpRun {
  std::vector<ScriptedNetwork::Injected> units;
  std::vector<std::vector<TcpDispatch::Told>> told;
};

template <class Model>
struct TcpModelRun : TcpRun {
  explicit TcpModelRun(const TcpCase& all)
      : network(events, all.hosts, all.largest, all.byte_time,
                [&all](const Unit& unit, std::uint64_t ordinal) { return all.fate(unit, ordinal); }),
        model(events, network, all.hosts, all.parameters) {
    TcpDispatch dispatch(events, model);
    dispatch.run(all.plan);
    units = std::move(network.injected);
    told = std::move(dispatch.told);
  }
  EventQueue events;
  ScriptedNetwork network;
  Model model;
};

/// The counters of the plain model in the order of Tcp's table.
std::vector<CounterTable::Value> row_of(const ReferenceTcp::Counters& all) {
  return {all.opened,           all.sent.segments,        all.sent.repeated,
          all.acknowledgements, all.sent.fast_recoveries, all.sent.timeouts,
          all.marked,           all.sent.reductions,      all.failed};
}

/// Up to the first unit that differs.
void compare_units(const TcpRun& shipped, const TcpRun& reference) {
  std::map<std::uint32_t, std::uint32_t> entropy;  // of the shipped model, by the plain one's
  for (std::size_t n = 0; n < std::min(shipped.units.size(), reference.units.size()); ++n) {
    const auto& [at, unit] = shipped.units[n];
    const auto& [expected_at, expected] = reference.units[n];
    ASSERT_EQ(at, expected_at) << "unit " << n;
    ASSERT_EQ(unit.from, expected.from) << "unit " << n;
    ASSERT_EQ(unit.to, expected.to) << "unit " << n;
    ASSERT_EQ(unit.size, expected.size) << "unit " << n;
    ASSERT_EQ(unit.traffic_class, expected.traffic_class) << "unit " << n;
    ASSERT_EQ(entropy.try_emplace(expected.entropy, unit.entropy).first->second, unit.entropy)
        << "unit " << n;
  }
  EXPECT_EQ(shipped.units.size(), reference.units.size());
}

TEST(TcpReference, SendsAndReportsTheSameInThousandsOfCases) {
  ReferenceTcp::Counters sum;
  std::uint64_t ties = 0, delivered = 0, returned = 0;
  const auto add = [](std::int64_t& to, const CounterTable::Value& value) {
    to += std::get<std::int64_t>(value);
  };
  for (std::uint64_t seed = 0; seed < 3'500; ++seed) {
    const TcpCase both(seed);
    const TcpModelRun<ReferenceTcp> reference(both);
    if (reference.model.had_ties()) {
      ++ties;
      continue;
    }
    const TcpModelRun<Tcp> shipped(both);
    compare_units(shipped, reference);
    for (std::size_t message = 0; message < both.plan.size(); ++message) {
      EXPECT_EQ(shipped.told[message], reference.told[message]) << "message " << message;
      for (const TcpDispatch::Told& one : reference.told[message]) {
        delivered += one.what == TcpDispatch::What::delivered ? 1 : 0;
        returned += one.what == TcpDispatch::What::returned ? 1 : 0;
      }
    }
    const std::vector<CounterTable::Value> row = row_of(reference.model.counters());
    EXPECT_EQ(shipped.model.counted().at(0).rows.at(0), row);
    if (HasFailure()) FAIL() << "seed " << seed;
    add(sum.sent.repeated, row[2]);
    add(sum.sent.fast_recoveries, row[4]);
    add(sum.sent.timeouts, row[5]);
    add(sum.sent.reductions, row[7]);
    add(sum.failed, row[8]);
  }
  // Each kind of event took place often enough to have been compared.
  EXPECT_LT(ties, 200U);
  EXPECT_GT(delivered, 15'000U);
  EXPECT_GT(returned, 3'000U);
  EXPECT_GT(sum.sent.repeated, 100'000);
  EXPECT_GT(sum.sent.fast_recoveries, 10'000);
  EXPECT_GT(sum.sent.timeouts, 50'000);
  EXPECT_GT(sum.sent.reductions, 20'000);
  EXPECT_GT(sum.failed, 3'000);
}

}  // namespace
}  // namespace morgana::testing::tcp_reference
