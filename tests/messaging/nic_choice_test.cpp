#include "emulator/messaging/nic_choice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <vector>

namespace morgana {
namespace {

using testing::ElementsAre;

/// Ranks 0, 2 and 3 are on host 1, ranks 1 and 4 on host 0.
Machine two_hosts(std::size_t nics) {
  Machine machine;
  for (const unsigned host : {1U, 0U, 1U, 1U, 0U}) machine.host_of.push_back(HostId{host});
  machine.nics = nics;
  return machine;
}

TEST(NicsOfRanks, AreDealtOutAmongTheRanksOfAHost) {
  const Machine machine = two_hosts(2);
  NicsOfRanks nics(machine);
  std::vector<int> of;
  for (int rank = 0; rank < 5; ++rank) of.push_back(nics.of(Rank{rank}));
  EXPECT_THAT(of, ElementsAre(0, 0, 1, 0, 1));
  EXPECT_EQ(nics.next(Rank{2}), 1);
  EXPECT_EQ(nics.next(Rank{2}), 1) << "by rank always the same";
}

TEST(NicsOfRanks, GoRoundOfEachRankByItself) {
  Machine machine = two_hosts(3);
  machine.messages.nic = NicChoice::round_robin;
  NicsOfRanks nics(machine);
  std::vector<int> taken;
  for (const int rank : {2, 2, 0, 2, 0, 2}) taken.push_back(nics.next(Rank{rank}));
  EXPECT_THAT(taken, ElementsAre(1, 2, 0, 0, 1, 1)) << "rank 2 begins with NIC 1, rank 0 with NIC 0";
}

TEST(PairOrder, LetsMessagesPassInTheirOrderHoweverTheyCome) {
  std::mt19937 chance(5);
  for (int round = 0; round < 50; ++round) {
    PairOrder order;
    const PairOrder::Pair pair{Rank{0}, Rank{1}}, back{Rank{1}, Rank{0}};
    std::vector<std::uint32_t> coming(8), passed;
    std::iota(coming.begin(), coming.end(), 0U);
    for (std::uint32_t message = 0; message < 8; ++message) ASSERT_EQ(order.number(pair), message + 1U);
    ASSERT_EQ(order.number(back), 1U) << "by themselves";
    std::shuffle(coming.begin(), coming.end(), chance);
    for (const std::uint32_t message : coming) {
      if (!order.comes(pair, message + 1, message)) continue;
      passed.push_back(message);
      while (const auto next = order.next(pair)) passed.push_back(*next);
    }
    EXPECT_THAT(passed, ElementsAre(0, 1, 2, 3, 4, 5, 6, 7));
    EXPECT_TRUE(order.comes(back, 1, 0));
  }
}

}  // namespace
}  // namespace morgana
