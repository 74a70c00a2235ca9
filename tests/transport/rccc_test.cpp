#include "emulator/transport/congestion/rccc.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>

#include "emulator/core/random.h"
#include "tests/support/effort.h"
#include "tests/transport/reference_rccc.h"

namespace morgana::testing {
namespace {

constexpr BitRate rccc_rate(100'000'000'000);
constexpr Bytes rccc_payload(1'000), rccc_most(9'000), rccc_packet(1'064);

TEST(Rccc, GivesWhatTheReferencesGive) {
  for (std::uint64_t seed = 0; seed < random_cases(1'000) && !::testing::Test::HasFailure(); ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    RandomStream random(seed, "rccc");
    const RcccParameters parameters{.pace = 0.5 + 0.5 * random.uniform(),
                                    .packets = 1 + static_cast<unsigned>(random.below(6))};
    CreditGiver giver(parameters, rccc_rate, rccc_payload, rccc_most);
    ReferenceCreditGiver other_giver(parameters, rccc_rate, rccc_payload, rccc_most);
    CreditedFlow flow(rccc_most);
    ReferenceCreditedFlow other_flow(rccc_most);
    for (int left = 200; left > 0; --left) {
      const auto who = static_cast<CreditGiver::Flow>(random.below(5));
      switch (random.below(6)) {
        case 0: {
          const auto target = static_cast<std::int64_t>(random.below(40'000));
          giver.ask(who, target);
          other_giver.ask(who, target);
          break;
        }
        case 1:
          giver.remind(who);
          other_giver.remind(who);
          break;
        case 2:
          if (!random.chance(0.05)) break;
          giver.forget(who);
          other_giver.forget(who);
          break;
        case 3:
          flow.sent(rccc_packet);
          other_flow.sent(rccc_packet);
          if (!random.chance(0.2)) break;
          flow.heard();
          other_flow.heard();
          break;
        default: {
          const auto one = giver.next(), other = other_giver.next();
          ASSERT_EQ(one.has_value(), other.has_value());
          if (!one) break;
          EXPECT_EQ(one->flow, other->flow);
          EXPECT_EQ(one->granted, other->granted);
          EXPECT_EQ(one->until_next, other->until_next);
          if (one->flow != 0) break;
          flow.grant(one->granted);
          other_flow.grant(one->granted);
        }
      }
      const Bytes left_to_send(static_cast<std::int64_t>(random.below(20'000)));
      const auto flows = static_cast<std::int64_t>(1 + random.below(4));
      EXPECT_EQ(flow.credit(), other_flow.credit());
      EXPECT_EQ(flow.target(left_to_send, rccc_packet, static_cast<std::size_t>(flows)),
                other_flow.target(left_to_send, rccc_packet, flows));
    }
  }
}

// By hand. Credits of 4,000 B: 32,000 bits at 99 Gb/s.
TEST(Rccc, GivesCreditInTurnAtItsPace) {
  const RcccParameters parameters;
  CreditGiver giver(parameters, rccc_rate, rccc_payload, rccc_most);
  giver.ask(7, 5'000);
  giver.ask(8, 4'000);
  const auto next = [&] { return giver.next().value(); };
  const CreditGiver::Credit first = next();
  EXPECT_EQ(first.flow, 7U);
  EXPECT_EQ(first.granted, 4'000);
  EXPECT_EQ(first.until_next.ps(), 323'232);
  EXPECT_EQ(next().flow, 8U);
  const CreditGiver::Credit rest = next();
  EXPECT_EQ(rest.flow, 7U);
  EXPECT_EQ(rest.granted, 5'000);
  EXPECT_EQ(rest.until_next.ps(), 80'808);
  // Nobody waits: flow 8 and flow 7 get up to 9,000 B more, and what exceeds that with the last one.
  for (const CreditGiver::Flow flow : {8U, 7U, 8U, 7U, 8U, 7U}) EXPECT_EQ(next().flow, flow);
  EXPECT_FALSE(giver.next());
  // A credit that was lost is repeated.
  giver.remind(7);
  const CreditGiver::Credit again = next();
  EXPECT_EQ(again.granted, 17'000);
  EXPECT_EQ(again.until_next.ps(), 82'747);  // 1,024 B
}

TEST(Rccc, EndsSpeculationWithTheFirstAnswer) {
  CreditedFlow flow(rccc_most);
  flow.sent(rccc_packet);
  EXPECT_EQ(flow.credit(), 9'000 - 1'064);
  EXPECT_EQ(flow.target(Bytes(2'000), rccc_packet, 1), 1'064);  // it has credit enough, and asks for a packet
  flow.heard();
  EXPECT_FALSE(flow.may_send());
  EXPECT_EQ(flow.target(Bytes(2'000), rccc_packet, 1), 2'000);
  EXPECT_EQ(flow.target(Bytes(20'000), rccc_packet, 3), 3'000);
  flow.grant(4'000);
  flow.grant(4'000);
  flow.grant(3'000);
  EXPECT_EQ(flow.credit(), 4'000);
  flow.grant(90'000);
  EXPECT_EQ(flow.credit(), 9'000);
}

}  // namespace
}  // namespace morgana::testing
