// Hosts of several jobs on one platform.

#include "emulator/platform/placement.h"
#include "tests/platform/support.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

using ::testing::ElementsAre;
using Overrides = std::vector<std::string>;

std::vector<std::uint32_t> hosts_of(const std::vector<std::size_t>& jobs, const std::string& map,
                                    const Overrides& overrides,
                                    const std::string& platform = "loggp-example") {
  std::vector<JobRanks> ranks;
  for (const std::size_t job : jobs) ranks.push_back({"other.otf2", job});
  return Platform::load(platform, overrides).place_jobs(ranks, read_placement(map)).hosts;
}

TEST(JobPlacement, GivesEachJobHostsOfItsOwn) {
  const Overrides pairs{"hosts.processors=2"};
  EXPECT_THAT(hosts_of({3, 2}, "block", pairs), ElementsAre(0, 0, 1, 2, 2));
  EXPECT_THAT(hosts_of({3, 2, 1}, "cyclic", pairs), ElementsAre(0, 1, 2, 3, 4, 5));
}

TEST(JobPlacement, SpreadsALaterJobOverTheHostsThatAreLeft) {
  // Left of 8 are 1, 2, 3, 5, 6, 7.
  EXPECT_THAT(hosts_of({2, 2}, "spread", {"hosts.count=8"}), ElementsAre(0, 4, 1, 5));
}

TEST(JobPlacement, OfTheFirstJobIsAsIfItWereAlone) {
  for (const char* map : {"block", "cyclic", "spread", "random", "by-group", "over-racks"}) {
    SCOPED_TRACE(map);
    const std::vector<std::uint32_t> hosts = hosts_of({5, 7}, map, {}, "roce-100g");
    const Machine alone = Platform::load("roce-100g").build(5, read_placement(map), 1);
    for (std::size_t rank = 0; rank < 5; ++rank) EXPECT_EQ(hosts.at(rank), index(alone.host_of.at(rank)));
    EXPECT_EQ(hosts.size(), 12);
  }
}

TEST(JobPlacement, RefusesMoreThanTheHostsThatAreLeft) {
  expect_message(error_of([] {
                   hosts_of({2, 3}, "block", {"hosts.count=4"});
                 }),
                 {"job 2", "other.otf2", "3 ranks", "3 hosts", "loggp-example", "hosts.count=5"});
  expect_message(error_of([] { hosts_of({1000, 100}, "block", {}, "roce-100g"); }), "leave 12 of 512");
}

}  // namespace
}  // namespace morgana
