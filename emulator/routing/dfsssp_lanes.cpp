// Cycles of dependencies between ways on one virtual channel, broken by moving ways to the next one.
#include <algorithm>

#include "emulator/routing/laned_routing.h"

namespace morgana {
namespace {

/// A row and the switch where packets enter: row * switches + switch.
using Way = std::uint32_t;

/// The trees of ways to a row.
class WayTrees {
 public:
  WayTrees(const SwitchGraph& graph, const DestinationTable& table)
      : graph_(graph), table_(table), depth_(graph.switches()), carried_(graph.switches()) {}

  CableChannel channel(std::size_t row, SwitchId at) const {
    return graph_.channel_from(SwitchPort{at, *table_.port(row, at)});
  }
  SwitchId next(std::size_t row, SwitchId at) const {
    return graph_.neighbour({at, *table_.port(row, at)}).id;
  }

  /// Calls visit(branch, held, wanted, pairs) for all that the ways make, each once for every row: `branch`
  /// is the row and the switch that sends on `held`, and pairs of hosts send through it. @param ways  sorted
  template <typename Visit>
  void for_steps(const std::vector<Way>& ways, Visit visit) {
    const std::size_t switches = table_.switches();
    for (std::size_t first = 0; first < ways.size();) {
      const std::size_t row = ways[first] / switches;
      for (; first < ways.size() && ways[first] / switches == row; ++first)
        add(row, static_cast<SwitchId>(ways[first] % switches));
      const SwitchId last = table_.last_switch(row);
      for (std::size_t depth = by_depth_.size(); depth-- > 0;) {
        for (const SwitchId at : by_depth_[depth]) {
          const SwitchId then = next(row, at);
          if (then != last) {
            visit(static_cast<Way>(row * switches + at), channel(row, at), channel(row, then), carried_[at]);
            carried_[then] += carried_[at];
          }
          depth_[at] = 0;
          carried_[at] = 0;
        }
        by_depth_[depth].clear();
      }
    }
  }

 private:
  /// A way, which joins the tree where another one goes already.
  void add(std::size_t row, SwitchId from) {
    const SwitchId last = table_.last_switch(row);
    if (from == last || !table_.port(row, from)) return;
    carried_[from] += graph_.hosts_at(from).size();
    way_.clear();
    SwitchId at = from;
    for (; at != last && depth_[at] == 0; at = next(row, at)) way_.push_back(at);
    std::uint32_t depth = at == last ? 0 : depth_[at];
    for (auto one = way_.rbegin(); one != way_.rend(); ++one) {
      depth_[*one] = ++depth;
      if (by_depth_.size() < depth) by_depth_.resize(depth);
      by_depth_[depth - 1].push_back(*one);
    }
  }

  const SwitchGraph& graph_;
  const DestinationTable& table_;
  std::vector<std::uint32_t> depth_;    // by switch: cables to the root, 0 outside of the tree
  std::vector<std::uint64_t> carried_;  // by switch: hosts that send through it
  std::vector<std::vector<SwitchId>> by_depth_;
  std::vector<SwitchId> way_;
};

/// The dependencies of the ways on one virtual channel. Ways to one row are a tree, whose root is the row's
/// last switch: all that come to a switch make the same dependencies from there on. So a dependency has a
/// part of each tree instead of each way, and there are as many parts as rows and switches, whatever the
/// ways' lengths.
class LaneDependencies {
 public:
  /// @param arcs  of the graph. @param ways  all that are on `lane`, sorted. @param lanes  of all ways, which
  /// move_cycles() changes
  LaneDependencies(const SwitchGraph& graph, const Arcs& arcs, const DestinationTable& table,
                   const std::vector<Way>& ways, VirtualChannel lane, std::vector<VirtualChannel>& lanes)
      : graph_(graph), arcs_(arcs), table_(table), lane_(lane), lanes_(lanes), tree_(graph, table) {
    std::vector<std::vector<Dependency>> by_held(graph_.channels());
    tree_.for_steps(ways, [&](Way, CableChannel held, CableChannel wanted, std::uint64_t pairs) {
      std::vector<Dependency>& of = by_held[held];
      auto place = std::ranges::lower_bound(of, wanted, {}, &Dependency::wanted);
      if (place == of.end() || place->wanted != wanted) place = of.insert(place, Dependency{wanted, 0, 0});
      place->pairs += pairs;
      ++place->first_branch;
    });
    first_.assign(1, 0);
    for (const std::vector<Dependency>& of : by_held) {
      dependencies_.insert(dependencies_.end(), of.begin(), of.end());
      first_.push_back(dependencies_.size());
    }
    std::uint32_t end = 0;
    for (Dependency& one : dependencies_) one.first_branch = end += one.first_branch;
    branches_.resize(end);
    // Each says where its branches end, and in the end where they begin.
    tree_.for_steps(ways, [&](Way branch, CableChannel held, CableChannel wanted, std::uint64_t) {
      branches_[--dependency(held, wanted)->first_branch] = branch;
    });
  }

  /// Moves ways to the next lane until no cycle is left. @param all  or only those of the first cycle, which
  /// say that there is one. @return which
  std::vector<Way> move_cycles(bool all) {
    state_.assign(graph_.channels(), State::unseen);
    for (CableChannel start = 0; start < graph_.channels() && (all || moved_.empty()); ++start)
      if (state_[start] == State::unseen) search(start, all);
    return std::move(moved_);
  }

 private:
  struct Dependency {
    CableChannel wanted;
    std::uint32_t first_branch;  // in branches_
    std::uint64_t pairs;         // of hosts whose packets make it; 0: it is gone
  };
  enum class State : std::uint8_t { unseen, open, closed };
  struct Entered {
    CableChannel channel;
    std::size_t by, next;  // dependencies: that led here, and to follow next
  };

  /// Null if no way of the lane makes it.
  Dependency* dependency(CableChannel held, CableChannel wanted) {
    const auto first = dependencies_.begin() + static_cast<std::ptrdiff_t>(first_[held]);
    const auto last = dependencies_.begin() + static_cast<std::ptrdiff_t>(first_[held + 1]);
    const auto found = std::ranges::lower_bound(first, last, wanted, {}, &Dependency::wanted);
    return found == last || found->wanted != wanted ? nullptr : &*found;
  }

  void enter(CableChannel channel, std::size_t by) {
    state_[channel] = State::open;
    open_.push_back({channel, by, first_[channel]});
  }

  /// Depth first. What is closed leads to no cycle, and never will: dependencies only go.
  void search(CableChannel start, bool all) {
    enter(start, 0);
    while (!open_.empty() && (all || moved_.empty())) {
      Entered& top = open_.back();
      if (top.next == first_[top.channel + 1]) {
        state_[top.channel] = State::closed;
        open_.pop_back();
        continue;
      }
      const std::size_t number = top.next++;
      const Dependency& one = dependencies_[number];
      if (one.pairs == 0 || state_[one.wanted] == State::closed) continue;
      if (state_[one.wanted] == State::unseen)
        enter(one.wanted, number);
      else
        break_cycle(number);
    }
  }

  /// @param closing  leads to a channel that is open
  void break_cycle(std::size_t closing) {
    std::size_t weakest = closing;
    for (std::size_t n = open_.size(); open_[n - 1].channel != dependencies_[closing].wanted; --n) {
      const std::size_t by = open_[n - 1].by;
      const auto rank = [&](std::size_t one) { return std::pair(dependencies_[one].pairs, one); };
      if (rank(by) < rank(weakest)) weakest = by;
    }
    move(weakest);
    std::size_t keep = 1;
    while (keep < open_.size() && dependencies_[open_[keep].by].pairs > 0) ++keep;
    for (; open_.size() > keep; open_.pop_back()) state_[open_.back().channel] = State::unseen;
  }

  /// All ways that make the dependency.
  void move(std::size_t number) {
    const std::size_t end =
        number + 1 < dependencies_.size() ? dependencies_[number + 1].first_branch : branches_.size();
    for (std::size_t n = dependencies_[number].first_branch; n < end; ++n)
      move_branch(branches_[n] / table_.switches(), static_cast<SwitchId>(branches_[n] % table_.switches()));
  }

  /// All ways of a row that come through a switch.
  void move_branch(std::size_t row, SwitchId root) {
    branch_.assign(1, {root, 0, 0});
    for (std::size_t n = 0; n < branch_.size(); ++n) {
      const SwitchId at = branch_[n].at;
      for (const Arc& arc : arcs_[at]) {
        if (table_.port(row, arc.other.at) != arc.other.port) continue;
        const Dependency* made = dependency(graph_.channel_from(arc.other), tree_.channel(row, at));
        if (made != nullptr && made->pairs > 0) branch_.push_back({arc.other.at, n, 0});
      }
    }
    const SwitchId last = table_.last_switch(row);
    for (std::size_t n = branch_.size(); n-- > 0;) {
      Moved& one = branch_[n];
      const Way way = static_cast<Way>(row * table_.switches() + one.at);
      if (lanes_[way] == lane_ && !graph_.hosts_at(one.at).empty()) {
        lanes_[way] = static_cast<VirtualChannel>(lane_ + 1);
        moved_.push_back(way);
        one.pairs += graph_.hosts_at(one.at).size();
      }
      if (n > 0) {
        branch_[one.towards].pairs += one.pairs;
        subtract(row, one.at, one.pairs);
      }
    }
    if (branch_.front().pairs == 0) return;
    for (SwitchId at = root; tree_.next(row, at) != last; at = tree_.next(row, at))
      subtract(row, at, branch_.front().pairs);
  }

  void subtract(std::size_t row, SwitchId at, std::uint64_t pairs) {
    if (Dependency* made = dependency(tree_.channel(row, at), tree_.channel(row, tree_.next(row, at))))
      made->pairs -= pairs;
  }

  /// A switch of a branch, and the pairs of hosts through it that are moved.
  struct Moved {
    SwitchId at;
    std::size_t towards;  // in branch_: its next switch
    std::uint64_t pairs;
  };

  const SwitchGraph& graph_;
  const Arcs& arcs_;
  const DestinationTable& table_;
  VirtualChannel lane_;
  std::vector<VirtualChannel>& lanes_;
  std::vector<std::size_t> first_;  // of each channel that is held, and the end
  std::vector<Dependency> dependencies_;
  WayTrees tree_;
  std::vector<Way> branches_;  // of each dependency
  std::vector<Moved> branch_;
  std::vector<State> state_;
  std::vector<Entered> open_;
  std::vector<Way> moved_;
};

}  // namespace

Lanes dfsssp_lanes(const SwitchGraph& graph, const DestinationTable& table, unsigned most) {
  require_few_ways("dfsssp", graph, table);
  const Arcs arcs = usable_arcs(graph, [](CableChannel) { return true; });
  std::vector<SwitchId> sources;
  for (SwitchId at = 0; at < graph.switches(); ++at)
    if (!graph.hosts_at(at).empty()) sources.push_back(at);
  Lanes lanes{1, std::vector<VirtualChannel>(table.rows() * table.switches())};
  std::vector<Way> ways;
  for (std::size_t row = 0; row < table.rows(); ++row)
    for (const SwitchId from : sources) ways.push_back(static_cast<Way>(row * table.switches() + from));
  while (true) {
    const auto lane = static_cast<VirtualChannel>(lanes.count - 1);
    ways = LaneDependencies(graph, arcs, table, ways, lane, lanes.of).move_cycles(lanes.count < most);
    if (ways.empty()) return lanes;
    if (lanes.count == most) throw TooFewLanes("dfsssp", most);
    ++lanes.count;
    std::ranges::sort(ways);
  }
}

}  // namespace morgana
