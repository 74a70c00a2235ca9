// Cycles of dependencies between ways on one virtual channel, broken by moving ways to the next one.
#include <algorithm>

#include "emulator/routing/laned_routing.h"

namespace morgana {
namespace {

/// A row and the switch where packets enter: row * switches + switch.
using Way = std::uint32_t;

/// The dependencies of the ways on one virtual channel.
class LaneDependencies {
 public:
  /// @param ways  all that are on `lane`. @param lanes  of all ways, which move_cycles() changes
  LaneDependencies(const SwitchGraph& graph, const DestinationTable& table, const std::vector<Way>& ways,
                   VirtualChannel lane, std::vector<VirtualChannel>& lanes)
      : graph_(graph), table_(table), lane_(lane), lanes_(lanes) {
    find_dependencies(ways);
    for (const Way way : ways)
      for_dependencies(way, [&](CableChannel held, CableChannel wanted) {
        Dependency& one = dependency(held, wanted);
        one.pairs += pairs(way);
        ++one.first_way;
      });
    std::uint32_t end = 0;
    for (Dependency& one : dependencies_) one.first_way = end += one.first_way;
    ways_.resize(end);
    // Each says where its ways end, and in the end where they begin: from the last on, they keep their order.
    for (auto way = ways.rbegin(); way != ways.rend(); ++way)
      for_dependencies(*way, [&](CableChannel held, CableChannel wanted) {
        ways_[--dependency(held, wanted).first_way] = *way;
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
    std::uint32_t first_way;  // in ways_
    std::uint64_t pairs;      // of hosts whose packets make it; 0: it is gone
  };
  enum class State : std::uint8_t { unseen, open, closed };
  struct Entered {
    CableChannel channel;
    std::size_t by, next;  // dependencies: that led here, and to follow next
  };

  std::uint64_t pairs(Way way) const {
    return graph_.hosts_at(static_cast<SwitchId>(way % table_.switches())).size();
  }

  template <typename Visit>
  void for_dependencies(Way way, Visit visit) {
    table_.way(graph_, way / table_.switches(), static_cast<SwitchId>(way % table_.switches()), channels_);
    for (std::size_t n = 1; n < channels_.size(); ++n) visit(channels_[n - 1], channels_[n]);
  }

  /// Each once, by channels. What all ways make would be many times as many.
  void find_dependencies(const std::vector<Way>& ways) {
    std::vector<std::uint64_t> found;
    std::size_t look_at = std::size_t{1} << 20;
    const auto keep_each_once = [&] {
      std::ranges::sort(found);
      found.erase(std::unique(found.begin(), found.end()), found.end());
      look_at = std::max(look_at, 2 * found.size());
    };
    for (const Way way : ways) {
      for_dependencies(way, [&](CableChannel held, CableChannel wanted) {
        found.push_back(std::uint64_t{held} << 32 | wanted);
      });
      if (found.size() >= look_at) keep_each_once();
    }
    keep_each_once();
    first_.assign(graph_.channels() + 1, 0);
    for (const std::uint64_t one : found) {
      dependencies_.push_back({static_cast<CableChannel>(one), 0, 0});
      ++first_[(one >> 32) + 1];
    }
    for (std::size_t channel = 0; channel < graph_.channels(); ++channel)
      first_[channel + 1] += first_[channel];
  }

  Dependency& dependency(CableChannel held, CableChannel wanted) {
    const auto first = dependencies_.begin() + static_cast<std::ptrdiff_t>(first_[held]);
    const auto last = dependencies_.begin() + static_cast<std::ptrdiff_t>(first_[held + 1]);
    return *std::ranges::lower_bound(first, last, wanted, {}, &Dependency::wanted);
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
        number + 1 < dependencies_.size() ? dependencies_[number + 1].first_way : ways_.size();
    for (std::size_t n = dependencies_[number].first_way; n < end; ++n) {
      const Way way = ways_[n];
      if (lanes_[way] != lane_) continue;
      lanes_[way] = static_cast<VirtualChannel>(lane_ + 1);
      moved_.push_back(way);
      for_dependencies(
          way, [&](CableChannel held, CableChannel wanted) { dependency(held, wanted).pairs -= pairs(way); });
    }
  }

  const SwitchGraph& graph_;
  const DestinationTable& table_;
  VirtualChannel lane_;
  std::vector<VirtualChannel>& lanes_;
  std::vector<std::size_t> first_;  // of each channel that is held, and the end
  std::vector<Dependency> dependencies_;
  std::vector<Way> ways_;  // that make each dependency
  std::vector<State> state_;
  std::vector<Entered> open_;
  std::vector<Way> moved_;
  std::vector<CableChannel> channels_;
};

}  // namespace

Lanes dfsssp_lanes(const SwitchGraph& graph, const DestinationTable& table, unsigned most) {
  require_few_dependencies("dfsssp", graph, table);
  std::vector<SwitchId> sources;
  for (SwitchId at = 0; at < graph.switches(); ++at)
    if (!graph.hosts_at(at).empty()) sources.push_back(at);
  Lanes lanes{1, std::vector<VirtualChannel>(table.rows() * table.switches())};
  std::vector<Way> ways;
  for (std::size_t row = 0; row < table.rows(); ++row)
    for (const SwitchId from : sources) ways.push_back(static_cast<Way>(row * table.switches() + from));
  while (true) {
    const auto lane = static_cast<VirtualChannel>(lanes.count - 1);
    ways = LaneDependencies(graph, table, ways, lane, lanes.of).move_cycles(lanes.count < most);
    if (ways.empty()) return lanes;
    if (lanes.count == most) throw TooFewLanes("dfsssp", most);
    ++lanes.count;
    std::ranges::sort(ways);
  }
}

}  // namespace morgana
