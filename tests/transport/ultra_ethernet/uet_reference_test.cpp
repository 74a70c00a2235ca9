// Uet and the plain model of its rules over the same network: each unit, each report and each counter.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/transport/uet/uet.h"
#include "tests/transport/scripted_network.h"
#include "tests/transport/ultra_ethernet/reference_uet.h"
#include "tests/transport/ultra_ethernet/uet_case.h"

namespace morgana::testing::uet_reference {
namespace {

/// What a model did.
struct UetRun {
  std::vector<ScriptedNetwork::Injected> units;
  std::vector<std::vector<TcpDispatch::Told>> told;
};

template <class Model>
struct UetModelRun : UetRun {
  explicit UetModelRun(const UetCase& all)
      : network(events, all), model(events, network, all.hosts, all.parameters) {
    TcpDispatch dispatch(events, model);
    dispatch.run(all.plan);
    units = std::move(network.injected);
    told = std::move(dispatch.told);
  }
  EventQueue events;
  GappedNetwork network;
  Model model;
};

/// Up to the first unit that differs.
void compare_units(const UetRun& shipped, const UetRun& reference) {
  for (std::size_t n = 0; n < std::min(shipped.units.size(), reference.units.size()); ++n) {
    const auto& [at, unit] = shipped.units[n];
    const auto& [expected_at, expected] = reference.units[n];
    ASSERT_EQ(at, expected_at) << "unit " << n;
    ASSERT_EQ(unit.from, expected.from) << "unit " << n;
    ASSERT_EQ(unit.to, expected.to) << "unit " << n;
    ASSERT_EQ(unit.size, expected.size) << "unit " << n;
    ASSERT_EQ(unit.traffic_class, expected.traffic_class) << "unit " << n;
    ASSERT_EQ(unit.may_be_trimmed, expected.may_be_trimmed) << "unit " << n;
  }
  EXPECT_EQ(shipped.units.size(), reference.units.size());
}

std::vector<std::uint64_t> all_of(const UetCounters& all) {
  return {all.packets, all.repeated, all.early,  all.marked,  all.trimmed,        all.acknowledgements,
          all.nacks,   all.timeouts, all.failed, all.credits, all.credit_requests};
}

/// What took place in the cases that were compared.
struct Compared {
  std::vector<std::uint64_t> counted = std::vector<std::uint64_t>(11);
  std::uint64_t ties = 0, delivered = 0, completed = 0, returned = 0;

  void add(std::uint64_t seed, UetParameters::Control control) {
    const UetCase both(seed, control);
    const UetModelRun<ReferenceUet> reference(both);
    if (reference.model.had_ties()) {
      ++ties;
      return;
    }
    const UetModelRun<Uet> shipped(both);
    compare_units(shipped, reference);
    for (std::size_t message = 0; message < both.plan.size(); ++message) {
      EXPECT_EQ(shipped.told[message], reference.told[message]) << "message " << message;
      for (const TcpDispatch::Told& one : reference.told[message]) {
        delivered += one.what == TcpDispatch::What::delivered ? 1 : 0;
        completed += one.what == TcpDispatch::What::completed ? 1 : 0;
        returned += one.what == TcpDispatch::What::returned ? 1 : 0;
      }
    }
    const std::vector<std::uint64_t> columns = all_of(reference.model.counters());
    EXPECT_EQ(all_of(shipped.model.counters()), columns);
    for (std::size_t column = 0; column < counted.size(); ++column) counted[column] += columns[column];
    if (::testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
  /// Each kind of event took place often enough to have been compared.
  void expect_enough(std::size_t columns) const {
    EXPECT_LT(ties, 200U);
    for (std::size_t column = 0; column < columns; ++column) EXPECT_GT(counted[column], 1'000U);
    for (const std::uint64_t count : {delivered, completed, returned}) EXPECT_GT(count, 2'000U);
  }
};

TEST(UetReference, SendsAndReportsTheSameInThousandsOfCases) {
  Compared all;
  for (std::uint64_t seed = 0; seed < 4'000 && !HasFailure(); ++seed)
    all.add(seed, seed % 2 == 0 ? UetParameters::Control::none : UetParameters::Control::nscc);
  all.expect_enough(9);
}

TEST(UetReference, GivesAndUsesCreditTheSameInThousandsOfCases) {
  Compared all;
  for (std::uint64_t seed = 4'000; seed < 6'200 && !HasFailure(); ++seed)
    all.add(seed, seed % 2 == 0 ? UetParameters::Control::rccc : UetParameters::Control::both);
  all.expect_enough(11);
}

}  // namespace
}  // namespace morgana::testing::uet_reference
