#include "traces/import/goal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "tests/support/effort.h"
#include "tests/support/goal_schedules.h"
#include "tests/support/messages.h"
#include "tests/support/temporary_folder.h"
#include "traces/import/goal_labels.h"

namespace morgana {
namespace {
using ::morgana::testing::GoalSchedule;
using ::morgana::testing::TemporaryFolder;
using ::testing::HasSubstr;
using Kind = GraphNode::Kind;

class Goal : public ::testing::Test {
 protected:
  std::shared_ptr<const DependencyGraph> read(const std::string& text) const {
    return read_goal_graph(folder_.write("s.goal", text));
  }
  /// What reading a schedule of two ranks, of which rank 0 does this, is refused with; behind the folder's
  /// name.
  std::string refusal(const std::string& lines) const {
    return refusal_of("num_ranks 2\nrank 0 {\n" + lines + "\n}\n");
  }
  std::string refusal_of(const std::string& content) const {
    try {
      read(content);
    } catch (const Error& error) {
      const std::string text = error.what();
      EXPECT_EQ(text.find(folder_.path().string()), 0u) << text;
      return text.substr(folder_.path().string().size() + 1);
    }
    return "it was read";
  }

  TemporaryFolder folder_;
};

/// All that a graph says.
auto content_of(const DependencyGraph& graph) {
  std::vector<std::tuple<std::size_t, Kind, std::int64_t, Rank, Tag, int, int, std::vector<std::uint32_t>,
                         std::vector<std::uint32_t>>>
      all;
  for (std::size_t rank = 0; rank < graph.ranks(); ++rank)
    for (std::uint32_t i = 0; i < graph.rank(rank).nodes().size(); ++i) {
      const GraphNode& node = graph.rank(rank).nodes()[i];
      const auto starts = graph.rank(rank).wait_for_start(i), ends = graph.rank(rank).wait_for_end(i);
      all.emplace_back(rank, node.kind, node.amount, node.peer, node.tag, node.cpu, node.nic,
                       std::vector<std::uint32_t>(starts.begin(), starts.end()),
                       std::vector<std::uint32_t>(ends.begin(), ends.end()));
      for (auto* followers : {&std::get<7>(all.back()), &std::get<8>(all.back())})
        std::ranges::sort(*followers);
    }
  return all;
}

const std::string everything =
    "// of two ranks\n/* a comment\n of two lines */ num_ranks 2\n\nrank 0 {\nl10 irequires l9\n"
    "l9: send 5b to 1 tag 4294967294 cpu 2 nic 1 # the last tag\nl9 requires l2\nl2: calc 3 cpu 1\n"
    "l10: recv 7b from -1 tag -1 // anything\nsend 8b to 1\n}\nrank 1\n{\nl1 : recv 5b from 0\n}\n";

TEST_F(Goal, ReadsAllThatALineMaySay) {
  const auto graph = read(everything);
  ASSERT_EQ(graph->ranks(), 2u);
  const auto nodes = graph->rank(0).nodes();
  ASSERT_EQ(nodes.size(), 4u);
  EXPECT_EQ(nodes[0].kind, Kind::compute);
  EXPECT_EQ(nodes[0].amount, 3000);
  EXPECT_EQ(nodes[0].cpu, 1);
  EXPECT_EQ(nodes[1].kind, Kind::send);
  EXPECT_EQ(static_cast<std::uint32_t>(nodes[1].tag), 4294967294u);
  EXPECT_EQ(nodes[1].peer, Rank{1});
  EXPECT_EQ(nodes[1].cpu, 2);
  EXPECT_EQ(nodes[1].nic, 1);
  EXPECT_EQ(nodes[2].kind, Kind::receive);
  EXPECT_EQ(nodes[2].peer, any_rank);
  EXPECT_EQ(nodes[2].tag, any_tag);
  EXPECT_EQ(nodes[3].amount, 8);
  EXPECT_EQ(nodes[3].tag, Tag{0});
  EXPECT_THAT(graph->rank(0).wait_for_end(0), ::testing::ElementsAre(1u));
  EXPECT_THAT(graph->rank(0).wait_for_start(1), ::testing::ElementsAre(2u));
  EXPECT_EQ(graph->cpus(), 3u);
  EXPECT_EQ(graph->nics(), 2u);
}

// txt2bin's scanner wants blanks only where two words would be one.
TEST_F(Goal, ReadsTheSpacingThatLogGopSimTakes) {
  const std::string plain =
      "num_ranks 2\nrank 0 {\nl1: send 10b to 1 tag 5 cpu 1 nic 2\nl2: recv 3b from 1\nl2 requires l1\n"
      "l3: calc 7 cpu 1\n}\nrank 1 {\nl1: recv 10b from 0 tag 5\nl2: send 3b to 0\n}\n";
  const std::string tight =
      "num_ranks2\nrank 0{\nl1:send10b to1tag5cpu1nic2\n\tl2:recv3 b from1\t\nl2 requiresl1\r\nl3 "
      ":calc7cpu1\n"
      "}rank 1 { l1: recv 10b/* here, too */from 0 tag 5\nl2: send 3b to 0 }";
  EXPECT_EQ(content_of(*read(tight)), content_of(*read(plain)));
}

TEST_F(Goal, TheOrderOfLinesMeansNothing) {
  GoalSchedule schedule = testing::dissemination(16);
  schedule.lines[3].insert(schedule.lines[3].end(),
                           {"send 5b to 1 tag 7", "send 5b to 0 tag 8", "recv 5b from 9 tag 8", "calc 12"});
  const auto expected = content_of(*read(schedule.text()));
  for (std::uint64_t seed = 1; seed <= 10; ++seed)
    EXPECT_EQ(content_of(*read(schedule.shuffled(seed).text())), expected) << seed;
}

TEST_F(Goal, LabelsAreInTheOrderOfTheirNumbers) {
  const std::vector<std::string> ordered{"a", "a0", "a01", "a1", "a2", "a10", "a10_2", "a10_10", "b", "b1c2"};
  for (std::size_t i = 0; i < ordered.size(); ++i)
    for (std::size_t j = 0; j < ordered.size(); ++j)
      EXPECT_EQ(goal::label_before(ordered[i], ordered[j]), i < j) << ordered[i] << " " << ordered[j];
}

TEST_F(Goal, TextAndBinaryAreTheSameGraph) {
  for (const std::string& text :
       {everything, testing::dissemination(16).text(), testing::binomial_tree(32).text()}) {
    const auto graph = read(text);
    const auto again = read(testing::binary_goal(*graph));
    EXPECT_EQ(content_of(*again), content_of(*graph));
    EXPECT_EQ(again->where(0, 1), again->file().string() + ": rank 0, node 1");
  }
  EXPECT_TRUE(is_goal(folder_.write("a", "// x\nnum_ranks 1")));
  EXPECT_FALSE(is_goal(folder_.write("a", "num_rank 1")));
  EXPECT_FALSE(is_goal(folder_.path()));
}

TEST_F(Goal, NamesFileLineAndLabelOfANode) {
  const auto graph = read(everything);
  EXPECT_EQ(graph->where(0, 0), graph->file().string() + ":9: l2");
  EXPECT_EQ(graph->where(0, 3), graph->file().string() + ":11");
  EXPECT_EQ(graph->where(1, 0), graph->file().string() + ":15: l1");
}

TEST_F(Goal, SaysWhichLineIsWrong) {
  struct Case {
    const char *lines, *at, *name;
  };
  for (const Case& one :
       {Case{"a: calc 5\nb: calc 5\nc: calc 1\na irequires b\nb requires a", "3:", "itself"},
        Case{"a: calc 5\na requires a", "3:", "itself"}, Case{"a: calc 5\nx requires a", "4:", "line x"},
        Case{"a: calc 5\na: calc 6", "4: a ", "name"}, Case{"send 5b to 2", "3: \"2\"", "rank"},
        Case{"send 5b to -1", "3: \"-1\"", "rank"}, Case{"send 5b to 1 tag -1", "3: \"-1\"", "tag"},
        Case{"send 5b to 1 tag 4294967295", "3: \"4294967295\"", "tag"},
        Case{"recv 5b tag 1", "3: recv", "from N"}, Case{"send 5b from 1", "3:", "\"from\""},
        Case{"send", "3: send", "amount"}, Case{"calc 5 cpu 256", "3: \"256\"", "CPU"},
        Case{"calc 99999999999999999999", "3: \"99999999999999999999\"", "time in ns"},
        Case{"calc 5 calc", "3:", "\"calc\""}, Case{"a: sendd 5b to 1", "3: \"sendd\"", "calc, send, recv"},
        Case{"a: jump 5", "3: \"jump\"", "calc, send, recv"}, Case{"a requires", "3:", "name of a line"},
        Case{"a: calc 5\na requires a b", "4:", "\"b\""}, Case{"/* never", "3:", "*/"}})
    expect_message(refusal(one.lines), {std::string("s.goal:") + one.at, one.name});
  expect_message(refusal_of("num_ranks 1\nrank 0 {\ncalc 5\n"), {"s.goal:3", "}"});
  expect_message(refusal_of("num_ranks 1\nrank 0 {\ncalc 5\n}\nrank 0 {\n}\n"), {"s.goal:5", "rank 0"});
  expect_message(refusal_of("num_ranks 0\n"), "s.goal:1");
  expect_message(refusal_of("num_ranks 3\n"), {"s.goal", "3 ranks"});
  expect_message(refusal_of("rank 0 {\n}\n"), {"s.goal", "\"num_ranks N\""});
}

TEST_F(Goal, SaysWhichNodeOfABinaryScheduleIsWrong) {
  const auto graph = read("num_ranks 2\nrank 0 {\na: calc 5\nb: send 5b to 1\nb requires a\n}\n");
  const std::string good = testing::binary_goal(*graph);
  // Rank 0 begins at 8 + 6 + 2 * 16 = 46: two numbers, one root, then nodes of 39 bytes.
  constexpr std::size_t first = 46 + 12, second = first + 39;
  const auto with = [&good](std::size_t at, char byte) {
    std::string changed = good;
    changed.at(at) = byte;
    return changed;
  };
  expect_message(refusal_of(with(second + 4, 9)), {"s.goal: rank 0: node 1", "type 9"});
  expect_message(refusal_of(with(second + 5, 2)), {"s.goal: rank 0: node 1", "rank 2"});
  expect_message(refusal_of(with(second, 3)), {"s.goal: rank 0: node 1", "3 others", "1 name"});
  expect_message(refusal_of(with(first + 39 * 2, 2)), {"s.goal: rank 0: node 0", "node 2"});
  expect_message(refusal_of(with(first + 39 * 2, 0)), {"s.goal: rank 0: node 0", "itself"});
  expect_message(refusal_of(with(first + 23, 9)), {"s.goal: rank 0: node 0", "behind the end"});
  expect_message(refusal_of(with(46, 9)), {"s.goal: rank 0", "9 nodes", "94 bytes"});
  expect_message(refusal_of(with(14 + 15, 1)), {"s.goal: rank 0", "bytes 38 to 72057594037928068"});
  expect_message(refusal_of(good.substr(0, 20)), {"s.goal", "byte 14"});
}

/// Bytes changed, parts doubled, cut or exchanged: all is read, or refused by a sentence with the file's
/// name.
void read_damaged(const std::string& good, const std::string& bytes) {
  const TemporaryFolder folder;
  int refused = 0;
  const int cases = static_cast<int>(random_cases(200));
  for (int seed = 1; seed <= cases; ++seed) {
    RandomStream random(static_cast<std::uint64_t>(seed), "damage");
    std::string damaged = good;
    for (std::uint64_t changes = 1 + random.below(4); changes > 0; --changes) {
      const std::size_t at = random.below(damaged.size());
      switch (random.below(5)) {
        case 0:
          damaged[at] = static_cast<char>(random.below(256));
          break;
        case 1:
          damaged[at] = bytes[random.below(bytes.size())];
          break;
        case 2:
          damaged.erase(at, 1 + random.below(12));
          break;
        case 3:
          damaged.resize(at);
          break;
        default:
          damaged.insert(at, damaged.substr(at, 1 + random.below(12)));
      }
      if (damaged.empty()) damaged = " ";
    }
    try {
      const auto graph = read_goal_graph(folder.write("damaged", damaged));
      EXPECT_LT(graph->nodes(), 1000u);
      for (std::size_t rank = 0; rank < std::min<std::size_t>(graph->ranks(), 4); ++rank)
        for (std::uint32_t node = 0; node < graph->rank(rank).nodes().size(); ++node)
          EXPECT_THAT(graph->where(rank, node), HasSubstr("damaged"));
    } catch (const Error& error) {
      ++refused;
      EXPECT_THAT(error.what(), HasSubstr("damaged"));
    }
  }
  EXPECT_GT(refused, 0);
  // A few of the damages are harmless; a part of the cases may have none of these.
  if (cases == 200) {
    EXPECT_LT(refused, cases);
  }
}

TEST_F(Goal, DamagedTextIsReadOrRefused) {
  read_damaged(everything, " 0123456789-e{}\n/*:lr");
}

TEST_F(Goal, DamagedBinariesAreReadOrRefused) {
  using namespace std::string_literals;
  read_damaged(testing::binary_goal(*read(everything)), "\0\1\2\3\xff"s);
}

}  // namespace
}  // namespace morgana
