#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/error.h"
#include "emulator/core/random.h"
#include "emulator/routing/laned_routing.h"
#include "emulator/topology/kinds/irregular.h"
#include "emulator/topology/kinds/torus.h"
#include "tests/routing/networks.h"
#include "tests/support/effort.h"
#include "tests/support/messages.h"

namespace morgana {
namespace {

constexpr auto each_cable = [](CableChannel) { return true; };

/// DFSSSP way by way: of each channel every pair of cables that follow each other keeps the set of ways that
/// make it. Cycles are searched depth first, by channels; of a cycle that is met, all ways that make its
/// weakest dependency (the fewest pairs of hosts, then the first by channels) go to the next channel, and the
/// search goes on from what is left of the way that led there.
class PlainDfsssp {
 public:
  PlainDfsssp(const SwitchGraph& graph, const DestinationTable& table) : graph_(graph), table_(table) {
    lanes_.of.resize(table.rows() * table.switches());
    for (std::size_t row = 0; row < table.rows(); ++row)
      for (SwitchId from = 0; from < graph.switches(); ++from)
        if (!graph.hosts_at(from).empty()) members_.insert(Way{row, from});
  }
  Lanes run() {
    for (lanes_.count = 1; !members_.empty(); ++lanes_.count) {
      makers_.clear();
      closed_.clear();
      moved_.clear();
      for (const Way& way : members_) for_steps(way, [&](const Step& step) { makers_[step].insert(way); });
      for (CableChannel start = 0; start < graph_.channels(); ++start)
        while (!closed_.contains(start)) search(start);
      members_ = moved_;
      if (moved_.empty()) break;
    }
    return lanes_;
  }

 private:
  using Way = std::pair<std::size_t, SwitchId>;  // row, and where it starts
  using Step = std::pair<CableChannel, CableChannel>;

  template <typename Visit>
  void for_steps(const Way& way, Visit visit) {
    std::vector<CableChannel> cables;
    table_.way(graph_, way.first, way.second, cables);
    for (std::size_t n = 1; n < cables.size(); ++n) visit(Step{cables[n - 1], cables[n]});
  }
  std::size_t pairs(const Step& step) const {
    std::size_t sum = 0;
    for (const Way& way : makers_.at(step)) sum += graph_.hosts_at(way.second).size();
    return sum;
  }
  /// The first one after `after` that is still made, and leads to no channel that is closed.
  const Step* next(CableChannel held, const Step* after) const {
    for (auto one = after != nullptr ? makers_.upper_bound(*after) : makers_.lower_bound({held, 0});
         one != makers_.end() && one->first.first == held; ++one)
      if (!one->second.empty() && !closed_.contains(one->first.second)) return &one->first;
    return nullptr;
  }
  void search(CableChannel start) {
    std::vector<const Step*> led, tried{nullptr};  // to each open channel but the first; from each
    std::vector<CableChannel> open{start};
    while (!open.empty()) {
      const Step* const step = next(open.back(), tried.back());
      if (step == nullptr) {
        closed_.insert(open.back());
        open.pop_back();
        tried.pop_back();
        if (!led.empty()) led.pop_back();
        continue;
      }
      tried.back() = step;
      const auto begin = std::ranges::find(open, step->second);
      if (begin == open.end()) {
        open.push_back(step->second);
        led.push_back(step);
        tried.push_back(nullptr);
        continue;
      }
      std::vector<const Step*> cycle(led.begin() + (begin - open.begin()), led.end());
      cycle.push_back(step);
      const Step weakest = **std::ranges::min_element(
          cycle, {}, [&](const Step* one) { return std::pair(pairs(*one), *one); });
      const std::set<Way> going = makers_.at(weakest);
      for (const Way& way : going) {
        lanes_.of[way.first * table_.switches() + way.second] = static_cast<VirtualChannel>(lanes_.count);
        moved_.insert(way);
        for_steps(way, [&](const Step& one) { makers_.at(one).erase(way); });
      }
      std::size_t left = 0;
      while (left < led.size() && !makers_.at(*led[left]).empty()) ++left;
      led.resize(left);
      open.resize(left + 1);
      tried.resize(left + 1);
    }
  }

  const SwitchGraph& graph_;
  const DestinationTable& table_;
  Lanes lanes_{0, {}};
  std::set<Way> members_, moved_;
  std::map<Step, std::set<Way>> makers_;
  std::set<CableChannel> closed_;
};

TEST(Dfsssp, IsThatOfAPlainReference) {
  std::map<unsigned, int> by_lanes;
  for (std::uint64_t seed = 0; seed < random_cases(120); ++seed) {
    SCOPED_TRACE(testing::Message() << "seed " << seed);
    RandomStream random(seed, "networks for plain dfsssp");
    const auto side = [&] { return 3 + static_cast<unsigned>(random.below(4)); };
    const auto hosts = 1 + static_cast<unsigned>(random.below(2));
    SwitchGraph graph;
    switch (random.below(3)) {
      case 0:
        graph = topology::torus({.sides = {side(), side()}, .hosts_per_switch = hosts});
        break;
      case 1:
        graph = topology::irregular({.switches = 2 * (6 + static_cast<unsigned>(random.below(9))),
                                     .hosts_per_switch = hosts,
                                     .cables_per_switch = 3},
                                    seed);
        break;
      default:
        graph = random_network(random, 20);
    }
    const DestinationTable table = sssp_table(graph, each_cable);
    const Lanes lanes = dfsssp_lanes(graph, table), plain = PlainDfsssp(graph, table).run();
    ++by_lanes[lanes.count];
    ASSERT_EQ(lanes.count, std::max(1U, plain.count));
    ASSERT_EQ(lanes.of, plain.of);
  }
  EXPECT_GE(by_lanes.size(), 3U) << "with one, two, three or more";
}

std::string refused_lanes(const std::function<void()>& make) {
  try {
    make();
  } catch (const Error& error) {
    return error.what();
  }
  return "no error";
}

/// LASH: 1,100 times 1,099 ways of 275 cables on average, each of which follows another but for the first.
/// DFSSSP: 5,800 times 5,800 ways.
TEST(LanedRouting, IsRefusedWhereItWouldTakeTooLong) {
  expect_message(refused_lanes([&] {
                   lash_routing(
                       topology::torus({.sides = {1'100}, .hosts_per_switch = 1, .ports_per_switch = 3}),
                       each_cable);
                 }),
                 {"lash", "1100 switches", "268435456"});
  const SwitchGraph star = [] {
    SwitchGraph graph;
    graph.add_switch(5'800);
    for (SwitchId leaf = 1; leaf <= 5'800; ++leaf) {
      graph.add_switch(2);
      graph.connect(0, leaf);
      graph.add_host(leaf);
    }
    return graph;
  }();
  expect_message(
      refused_lanes([&] { dfsssp_lanes(star, DestinationTable(star, DestinationTable::Rows::hosts)); }),
      {"dfsssp", "5800 switches", "5800 hosts", "33554432"});
}

}  // namespace
}  // namespace morgana
