#include "emulator/report/limits/link_tiers.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/messages.h"

namespace morgana {
namespace {

LinkEnd tier_host(std::uint32_t number) {
  return {LinkEnd::Kind::host, number, 0};
}
LinkEnd tier_switch(std::uint32_t number) {
  return {LinkEnd::Kind::switch_port, number, 0};
}
void join(NetworkLinks& links, LinkEnd a, LinkEnd b, double up, double down) {
  links.loads.push_back({a, b, up > 0 ? 1 : 0, up, {}});
  links.loads.push_back({b, a, down > 0 ? 1 : 0, down, {}});
}

/// Hosts 0 and 1 on leaves 0 and 1, which spines 2 and 3 join; core switch 4 joins these.
NetworkLinks three_levels(double up, double down) {
  NetworkLinks links{"packets", {}};
  for (std::uint32_t leaf = 0; leaf < 2; ++leaf) {
    join(links, tier_host(leaf), tier_switch(leaf), 0.4, 0.3);
    join(links, tier_switch(leaf), tier_switch(2), up, down);
    join(links, tier_switch(leaf), tier_switch(3), leaf == 0 ? up / 2 : 0, 0);
  }
  join(links, tier_switch(2), tier_switch(4), 0.1, 0.1);
  join(links, tier_switch(3), tier_switch(4), 0, 0);
  return links;
}

TEST(LinkTiers, FollowFromTheDistanceToHosts) {
  const std::vector<LinkTier> tiers = link_tiers(three_levels(0.96, 0.5));
  std::vector<std::string> names;
  for (const LinkTier& tier : tiers) names.push_back(tier.name);
  EXPECT_THAT(names,
              testing::ElementsAre("uplinks of the leaves", "downlinks to the leaves", "links from hosts",
                                   "links to hosts", "uplinks of level 2", "downlinks to level 2"));
  // 0.96, 0.48 and 0.96 of four uplinks.
  EXPECT_EQ(tiers.front().links, 4u);
  EXPECT_EQ(tiers.front().in_use, 3u);
  EXPECT_DOUBLE_EQ(tiers.front().busiest, 0.96);
  EXPECT_DOUBLE_EQ(tiers.front().mean, 0.8);
}

TEST(LinkTiers, ResourcesOfHostsAreTiersBesideThoseOfLinks) {
  using Place = ResourceLoad::Place;
  NetworkLoads links = three_levels(0.96, 0.5);
  links.resources = {{Place::receiving, "buses into hosts", 0, 0.96},
                     {Place::receiving, "buses into hosts", 1, 0},
                     {Place::sending, "buses from hosts", 0, 0.955},
                     {Place::shared, "the segment", 0, 0.1}};
  const std::vector<LinkTier> tiers = link_tiers(links);
  // What is busy alike is in the order in which packets pass it.
  EXPECT_EQ(tiers.at(0).name, "buses from hosts");
  EXPECT_EQ(tiers.at(1).name, "uplinks of the leaves");
  EXPECT_EQ(tiers.at(2).name, "buses into hosts");
  EXPECT_EQ(tiers.at(2).links, 2u);
  EXPECT_EQ(tiers.at(2).in_use, 1u);
  EXPECT_FALSE(tiers.at(2).of_links);
  EXPECT_TRUE(tiers.at(1).of_links);
  expect_message(limiting_tier_text(links), "96.0 %");
}

// Nearly as busy is not the busiest.
TEST(LinkTiers, TheBusiestIsNotOneThatIsBusyAlike) {
  NetworkLoads links = three_levels(0.2, 0.1);
  links.resources = {{ResourceLoad::Place::receiving, "buses into hosts", 0, 0.3}};
  EXPECT_EQ(busiest_tier(link_tiers(links)).name, "links from hosts");
  for (LinkLoad& link : links.loads) link.utilisation *= 0.72;
  EXPECT_EQ(link_tiers(links).front().name, "links from hosts");
  EXPECT_EQ(busiest_tier(link_tiers(links)).name, "buses into hosts");
}

TEST(LinkTiers, TheBusiestOneLimits) {
  expect_message(limiting_tier_text(three_levels(0.96, 0.5)), {"96.0 %", "80.0 %", "50.0 %"});
  expect_message(limiting_tier_text(three_levels(0.58, 0.1)), "58.0 %");
  EXPECT_EQ(limiting_tier_text(three_levels(0.5, 0.1)), "");
  EXPECT_EQ(limiting_tier_text({}), "");
}

TEST(LinkTiers, NamesTiersThatAreBusyAlikeTogether) {
  expect_message(limiting_tier_text(three_levels(0.9, 0.9)), "90.0 %");
}

/// Four groups of three switches, each with a host and a cable to another group; one cable is not there.
NetworkLinks dragonfly_links(double local, double global, bool whole = true) {
  NetworkLinks links{"packets", {}};
  constexpr std::uint32_t groups = 4, a = 3;
  for (std::uint32_t group = 0; group < groups; ++group)
    for (std::uint32_t i = 0; i < a; ++i) {
      const std::uint32_t at = group * a + i, other = (group + i + 1) % groups * a + (a - 1 - i);
      join(links, tier_host(at), tier_switch(at), 0.1, 0.1);
      for (std::uint32_t j = i + 1; j < a; ++j)
        join(links, tier_switch(at), tier_switch(group * a + j), local, local);
      if (at < other && (whole || at > 0)) join(links, tier_switch(at), tier_switch(other), global, global);
    }
  return links;
}

TEST(LinkTiers, OfADragonflyAreLocalAndGlobalCables) {
  expect_message(limiting_tier_text(dragonfly_links(0.3, 0.9)),
                 {"global cables", "90.0 %", "12 links", "local cables", "30.0 %"});
  expect_message(limiting_tier_text(dragonfly_links(0.9, 0.3)),
                 {"local cables", "90.0 %", "24 links", "global cables", "30.0 %"});
  expect_message(limiting_tier_text(dragonfly_links(0.9, 0.3, false)),
                 {"links between switches", "90.0 %", "34 links"});
}

// GPUs, NVSwitches, and rails above them.
TEST(LinkTiers, OfGpusAreNVLinkAndNics) {
  std::vector<std::string> names;
  for (const LinkTier& tier : link_tiers(three_levels(0.96, 0.5), LinkedHosts::gpus))
    names.push_back(tier.name);
  EXPECT_THAT(names,
              testing::ElementsAre("NICs outwards", "NICs inwards", "NVLink from the GPUs",
                                   "NVLink to the GPUs", "uplinks of the leaves", "downlinks to the leaves"));
}

// On a torus every switch has hosts.
TEST(LinkTiers, AreOneBetweenSwitchesThatAllHaveHosts) {
  NetworkLinks links{"packets", {}};
  for (std::uint32_t at = 0; at < 2; ++at) join(links, tier_host(at), tier_switch(at), 0.1, 0.1);
  join(links, tier_switch(0), tier_switch(1), 0.9, 0.2);
  expect_message(limiting_tier_text(links), {"links between switches", "90.0 %", "2 links"});
}

}  // namespace
}  // namespace morgana
