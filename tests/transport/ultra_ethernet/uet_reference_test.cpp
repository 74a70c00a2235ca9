// Uet and the plain model of its rules over the same network: each unit, each report and each counter.
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/transport/uet/uet.h"
#include "tests/transport/drawn_case.h"
#include "tests/transport/scripted_network.h"
#include "tests/transport/ultra_ethernet/reference_uet.h"
#include "tests/transport/ultra_ethernet/uet_case.h"

namespace morgana::testing::uet_reference {
namespace {

template <class Model>
using UetModelRun = ModelRun<Model, GappedNetwork, UetCase>;

std::vector<std::uint64_t> all_of(const UetCounters& all) {
  return {all.packets, all.repeated, all.early,  all.marked,  all.trimmed,        all.acknowledgements,
          all.nacks,   all.timeouts, all.failed, all.credits, all.credit_requests};
}

/// What took place in the cases that were compared.
struct Compared : Outcomes {
  std::vector<std::uint64_t> counted = std::vector<std::uint64_t>(11);

  void add(std::uint64_t seed, UetParameters::Control control) {
    const UetCase both(seed, control);
    const UetModelRun<ReferenceUet> reference(both);
    if (reference.model.had_ties()) {
      ++ties;
      return;
    }
    const UetModelRun<Uet> shipped(both);
    compare_units(shipped, reference, [](const Unit& unit, const Unit& expected) {
      return unit.may_be_trimmed == expected.may_be_trimmed;
    });
    compare(shipped, reference);
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
