#include <algorithm>
#include <set>

#include "tests/integration/support/morgana_test.h"
#include "tests/integration/support/sample_traces.h"

namespace morgana::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// `morgana place`. That its search finds what it should is in tests/runs/rank_mapping_test.cpp.
class Place : public MorganaTest {
 protected:
  /// A schedule: 16 ranks send 1 MiB each, rank 3 i mod 16 to rank 3 (i + 1) mod 16. @param more  said of
  /// each message
  void write_ring(const std::string& name, const std::string& more = "") const {
    std::string text = "num_ranks 16\n";
    for (int rank = 0; rank < 16; ++rank) {
      text += "rank " + std::to_string(rank) + " {\n";
      text += "s: send 1048576b to " + std::to_string((rank + 3) % 16) + " tag 0" + more + "\n";
      text += "r: recv 1048576b from " + std::to_string((rank + 13) % 16) + " tag 0" + more + "\n}\n";
    }
    write(name, text);
  }
  /// Four leaves with four hosts of one processor and one uplink each.
  const std::vector<std::string> platform{"-p",    "hdr-fat-tree",
                                          "--set", "network.hosts-per-switch=4",
                                          "--set", "network.topology=leaf-spine",
                                          "--set", "network.leaves=4",
                                          "--set", "network.spines=1",
                                          "--set", "hosts.processors=1"};
  std::vector<std::string> on_platform(std::vector<std::string> words) const {
    words.insert(words.end(), platform.begin(), platform.end());
    return words;
  }
};

TEST_F(Place, UntanglesARingAndWritesItsMap) {
  write_ring("ring.goal");
  const FinishedProcess done =
      succeed(on_platform({"place", "ring.goal", "--out", "ring.map", "--json", "placed.json"}));
  EXPECT_THAT(done.out, AllOf(HasSubstr("16.00 MiB in 16 messages between 16 pairs"),
                              HasSubstr("block, ranks exchanged *"), HasSubstr("saves "),
                              HasSubstr("for --map ring.map")));
  const nlohmann::json placed = read_json("placed.json"), &all = placed.at("placements");
  const nlohmann::json &given = all.at(0), &best = all.at(placed.at("best").get<std::size_t>());
  EXPECT_EQ(given.at("map"), "block");
  EXPECT_EQ(placed.at("set").size(), 5u);
  EXPECT_EQ(placed.at("set").at(0), "network.hosts-per-switch=4");
  EXPECT_EQ(placed.at("seed"), 1);
  EXPECT_EQ(placed.at("message_weight"), 1024);
  EXPECT_TRUE(best.at("exchanged").get<bool>());
  // A ring crosses 2 links within a leaf and 4 between leaves, which four of its messages must.
  const std::int64_t message = 1048576 + 1024;
  EXPECT_EQ(best.at("cost"), message * (12 * 2 + 4 * 4));
  EXPECT_LE(best.at("least_cost"), best.at("cost"));
  EXPECT_LT(best.at("simulated_time_ps"), given.at("simulated_time_ps"));
  // Both times are those of replays.
  succeed(on_platform({"replay", "ring.goal", "-q", "--json", "before.json"}));
  succeed(on_platform({"replay", "ring.goal", "-q", "--json", "after.json", "--map", "ring.map"}));
  EXPECT_EQ(given.at("simulated_time_ps"), simulated_ps("before.json"));
  EXPECT_EQ(best.at("simulated_time_ps"), simulated_ps("after.json"));
}

TEST_F(Place, CountsMessagesOfCollectivesAsTheReplayDoes) {
  succeed({"place", cg_sample, "-q", "-p", "hdr-fat-tree", "--json", "placed.json"});
  succeed({"replay", cg_sample, "-q", "-p", "hdr-fat-tree", "--json", "replay.json"});
  const nlohmann::json placed = read_json("placed.json"), hosts = read_json("replay.json").at("hosts");
  const auto of_hosts = [&](const std::string& what) {
    return hosts.at(what + "_within").get<std::int64_t>() + hosts.at(what + "_between").get<std::int64_t>();
  };
  EXPECT_EQ(placed.at("messages"), of_hosts("messages"));
  EXPECT_EQ(placed.at("bytes"), of_hosts("bytes"));
  for (const nlohmann::json& one : placed.at("placements")) {
    EXPECT_GE(one.at("cost"), one.at("least_cost"));
    const std::set<int> used(one.at("hosts").begin(), one.at("hosts").end());
    EXPECT_EQ(one.at("hosts_in_use"), used.size());
  }
}

TEST_F(Place, IsTheSameEachTimeAndQuietIfAsked) {
  write_ring("ring.goal");
  const std::vector<std::string> words = on_platform({"place", "ring.goal", "-q", "--json", "-"});
  const FinishedProcess first = succeed(words), second = succeed(words);
  EXPECT_EQ(first.out, second.out);
  EXPECT_EQ(first.err, "");
  EXPECT_EQ(succeed(on_platform({"place", "ring.goal", "-q"})).out, "");
}

TEST_F(Place, TakesTheUsersMapsAndKeepsOneThatIsBest) {
  write_ring("ring.goal");
  std::string hosts;
  for (int rank = 0; rank < 16; ++rank) hosts += std::to_string(11 * rank % 16) + "\n";  // 3 * 11 = 1 mod 16
  write("best.map", hosts);
  const FinishedProcess done =
      succeed(on_platform({"place", "ring.goal", "--map", "best.map", "--compare", "block"}));
  EXPECT_THAT(done.out, AllOf(HasSubstr("best.map *"), HasSubstr("best: best.map as it is")));
}

TEST_F(Place, LeavesOutAMapThatItsNicsDontFit) {
  // Spread wants as many hosts as the network has ports, 400; two NICs of each host need twice as many.
  write_ring("ring.goal", " nic 1");
  const FinishedProcess done = succeed({"place", "ring.goal", "-p", "hdr-fat-tree", "--json", "placed.json"});
  EXPECT_THAT(done.out + done.err, HasSubstr("spread is left out: "));
  EXPECT_THAT(done.out + done.err, HasSubstr("2 NICs of 400 hosts need 800"));
  const nlohmann::json placed = read_json("placed.json");
  // Both NICs of a host are at its leaf, so links are counted as with one: all eight hosts are at one leaf.
  const nlohmann::json& block = placed.at("placements").at(0);
  EXPECT_EQ(block.at("hosts_in_use"), 8);
  EXPECT_EQ(block.at("cost"), 16 * (1048576 + 1024) * 2);
}

TEST_F(Place, RefusesWhatCantBePlaced) {
  write_ring("ring.goal");
  const auto refusal = [this](std::vector<std::string> words) {
    words.insert(words.begin(), "place");
    const FinishedProcess refused = morgana(words);
    EXPECT_EQ(refused.exit_code, 2);
    EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1) << refused.err;
    EXPECT_EQ(refused.out, "");
    return refused.err;
  };
  EXPECT_THAT(refusal({}), HasSubstr("trace"));
  EXPECT_THAT(refusal({"nothing.otf2"}), HasSubstr("nothing.otf2"));
  EXPECT_THAT(refusal({"ring.goal", "-p", "native"}), HasSubstr("cannot replay on native"));
  EXPECT_THAT(refusal({"ring.goal", "-p", "no-such"}), HasSubstr("no-such"));
  EXPECT_THAT(refusal({"ring.goal", "--map", "none"}), HasSubstr("--map none"));
  EXPECT_THAT(refusal({"ring.goal", "--compare", "block,none"}),
              HasSubstr("--compare none: that is not one of"));
  EXPECT_THAT(refusal({"ring.goal", "--message-weight", "1 us"}), HasSubstr("--message-weight 1 us"));
  EXPECT_THAT(refusal({"ring.goal", "--message-weight", "-1 B"}), HasSubstr("--message-weight"));
  EXPECT_THAT(refusal({"ring.goal", "--message-weight", "2 GiB"}),
              HasSubstr("--message-weight 2 GiB: a message may weigh up to 1 GiB"));
  EXPECT_THAT(refusal({"ring.goal", "--steps", "-1"}), HasSubstr("--steps"));
  EXPECT_THAT(refusal({"ring.goal", "--out", "no/where/x.map"}), HasSubstr("no/where/x.map"));
  EXPECT_THAT(refusal({"ring.goal", "--set", "hosts.count=2"}), HasSubstr("too few"));
  EXPECT_THAT(refusal({MORGANA_SOURCE "/traces/samples/ep.pvm.otf2"}), HasSubstr("tasks of PVM"));
  // Ports 4 and 5, which are host 2's, are at different leaves of five.
  write_ring("nics.goal", " nic 1");
  EXPECT_THAT(refusal({"nics.goal", "-p", "hdr-fat-tree", "--set", "network.hosts-per-switch=5"}),
              HasSubstr("the 2 NICs of host 2 are at different switches"));
  // 600 * 2^50 bytes over 2 links are more than an eighth of 2^63, 1100 * 2^50 over none at all.
  for (const int messages : {600, 1100}) {
    std::string sends, receives;
    for (int i = 0; i < messages; ++i) {
      sends += "s" + std::to_string(i) + ": send 1125899906842624b to 1 tag 0\n";
      receives += "r" + std::to_string(i) + ": recv 1125899906842624b from 0 tag 0\n";
    }
    write("heavy.goal", "num_ranks 2\nrank 0 {\n" + sends + "}\nrank 1 {\n" + receives + "}\n");
    EXPECT_THAT(refusal({"heavy.goal", "-p", "ideal", "--set",
                         messages == 600 ? "hosts.processors=1" : "hosts.processors=2"}),
                HasSubstr("weigh is more than can be added up"));
  }
  // What has too many ranks is not replayed, for which this network would be too small.
  write("many.goal",
        "num_ranks 9000\nrank 0 {\ns: send 8b to 1 tag 0\n}\nrank 1 {\nr: recv 8b from 0 tag 0\n}\n");
  EXPECT_THAT(refusal({"many.goal", "-p", "hdr-fat-tree"}),
              HasSubstr("it has 9000 ranks, and placements are found for up to 8192"));
}

}  // namespace
}  // namespace morgana::test
