#include "emulator/topology/bisection_bounds.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <queue>
#include <vector>

#include "emulator/core/random.h"
#include "emulator/topology/joined_switches.h"
#include "emulator/topology/smallest_eigenvalue.h"

namespace morgana {
namespace {

using Sides = std::vector<std::uint8_t>;  // by switch: 0 or 1

/// Improves divisions of a network by moves of single switches.
class CutSearch {
 public:
  CutSearch(const JoinedSwitches& joined, const std::vector<bool>& has_hosts)
      : joined_(joined), has_hosts_(has_hosts) {
    with_hosts_ = std::count(has_hosts.begin(), has_hosts.end(), true);
  }

  /// @param order  of all switches: those with hosts in the first half of it are one side, and others before
  /// the last of these. @return trunks cut
  std::uint64_t from(const std::vector<SwitchId>& order) {
    std::int64_t left = with_hosts_ / 2;
    sides_.assign(order.size(), 1);
    for (const SwitchId at : order) {
      if (left == 0) break;
      sides_[at] = 0;
      if (has_hosts_[at]) --left;
    }
    constexpr int most_passes = 40;
    std::int64_t cut = cut_now();
    for (int pass = 0; pass < most_passes; ++pass) {
      const std::int64_t gained = improve();
      if (gained == 0) break;
      cut -= gained;
    }
    return static_cast<std::uint64_t>(cut);
  }

 private:
  struct Move {
    std::int64_t gain;
    SwitchId at;
    bool operator<(const Move& other) const { return gain != other.gain ? gain < other.gain : at > other.at; }
  };
  using Moves = std::priority_queue<Move>;

  std::int64_t cut_now() const {
    std::int64_t twice = 0;
    for (SwitchId at = 0; at < sides_.size(); ++at)
      for (const JoinedSwitches::Next& next : joined_.next(at))
        if (sides_[next.at] != sides_[at]) twice += next.trunks;
    return twice / 2;
  }

  /// The best move of a kind that is still so; it stays in the queue.
  const Move* best(Moves& moves, std::uint8_t side) const {
    while (!moves.empty()) {
      const Move& top = moves.top();
      if (!moved_[top.at] && sides_[top.at] == side && gain_[top.at] == top.gain) return &top;
      moves.pop();
    }
    return nullptr;
  }

  /// Moves every switch at most once, each time the best one that keeps the halves equal to a switch; then
  /// takes back all moves after the best division. @return trunks less
  std::int64_t improve() {
    const std::size_t switches = sides_.size();
    gain_.assign(switches, 0);
    moved_.assign(switches, false);
    std::array<std::array<Moves, 2>, 2> moves;  // [has hosts][side]
    std::int64_t ahead = 0;                     // switches with hosts on side 0 more than on side 1
    for (SwitchId at = 0; at < switches; ++at) {
      for (const JoinedSwitches::Next& next : joined_.next(at))
        gain_[at] += sides_[next.at] != sides_[at] ? next.trunks : -std::int64_t{next.trunks};
      moves[has_hosts_[at] ? 1 : 0][sides_[at]].push({gain_[at], at});
      if (has_hosts_[at]) ahead += sides_[at] == 0 ? 1 : -1;
    }
    const std::int64_t even = with_hosts_ % 2, most_ahead = even == 0 ? 2 : 1;
    std::vector<SwitchId> done;
    std::int64_t gained = 0, best_gained = 0;
    std::size_t best_done = 0;
    while (true) {
      const Move* chosen = nullptr;
      for (std::uint8_t hosts = 0; hosts < 2; ++hosts) {
        for (std::uint8_t side = 0; side < 2; ++side) {
          const std::int64_t then = ahead - (hosts == 0 ? 0 : side == 0 ? 2 : -2);
          if (std::abs(then) > most_ahead) continue;
          const Move* const one = best(moves[hosts][side], side);
          if (one != nullptr && (chosen == nullptr || *chosen < *one)) chosen = one;
        }
      }
      if (chosen == nullptr) break;
      const Move move = *chosen;
      gained += move.gain;
      if (has_hosts_[move.at]) ahead -= sides_[move.at] == 0 ? 2 : -2;
      moved_[move.at] = true;
      sides_[move.at] ^= 1U;
      done.push_back(move.at);
      for (const JoinedSwitches::Next& next : joined_.next(move.at)) {
        if (moved_[next.at]) continue;
        gain_[next.at] += sides_[next.at] != sides_[move.at] ? 2 * std::int64_t{next.trunks}
                                                             : -2 * std::int64_t{next.trunks};
        moves[has_hosts_[next.at] ? 1 : 0][sides_[next.at]].push({gain_[next.at], next.at});
      }
      if (std::abs(ahead) <= even && gained > best_gained) {
        best_gained = gained;
        best_done = done.size();
      }
    }
    for (std::size_t n = best_done; n < done.size(); ++n) sides_[done[n]] ^= 1U;
    return best_gained;
  }

  const JoinedSwitches& joined_;
  const std::vector<bool>& has_hosts_;
  std::int64_t with_hosts_;
  Sides sides_;
  std::vector<std::int64_t> gain_;
  std::vector<bool> moved_;
};

/// Whether the switches with hosts all have equally many, and there are at least two.
bool hosts_are_even(const SwitchGraph& graph) {
  std::size_t each = 0, switches = 0;
  for (SwitchId at = 0; at < graph.switches(); ++at) {
    const std::size_t here = graph.hosts_at(at).size();
    if (here == 0) continue;
    if (each != 0 && here != each) return false;
    each = here;
    ++switches;
  }
  return switches > 1;
}

/// What the smallest eigenvalue on vectors orthogonal to h says of the trunks cut. Where x'h is 1, x is
/// h / |h|^2 and a vector orthogonal to h, and the square root of x'Lx less than that of the second by at
/// most that of the first.
std::uint64_t spectral_bound(const JoinedSwitches& joined, const std::vector<bool>& has_hosts,
                             double eigenvalue) {
  const auto with_hosts = static_cast<double>(std::count(has_hosts.begin(), has_hosts.end(), true));
  const auto switches = static_cast<double>(has_hosts.size());
  double square = std::max(eigenvalue, 0.0) * switches;
  if (static_cast<std::uint64_t>(with_hosts) % 2 != 0) {
    double edge = 0;  // h'Lh
    for (SwitchId at = 0; at < has_hosts.size(); ++at)
      for (const JoinedSwitches::Next& next : joined.next(at))
        if (has_hosts[at] && !has_hosts[next.at]) edge += next.trunks;
    const double root =
        std::sqrt(std::max(eigenvalue, 0.0) * (switches - 1 / with_hosts)) - std::sqrt(edge) / with_hosts;
    square = root > 0 ? root * root : 0;
  }
  constexpr double rounding = 1e-7;
  return static_cast<std::uint64_t>(std::ceil(square / 4 * (1 - rounding) - rounding));
}

}  // namespace

std::optional<BisectionBounds> bisection_bounds(const SwitchGraph& graph) {
  constexpr std::size_t most_pairs = std::size_t{1} << 21;
  if (!hosts_are_even(graph)) return std::nullopt;
  const JoinedSwitches joined(graph);
  if (joined.pairs() > most_pairs) return std::nullopt;
  std::vector<bool> has_hosts(graph.switches());
  for (SwitchId at = 0; at < graph.switches(); ++at) has_hosts[at] = !graph.hosts_at(at).empty();
  const SmallestEigenvalue smallest = smallest_eigenvalue(joined, has_hosts);

  CutSearch search(joined, has_hosts);
  std::vector<SwitchId> order(graph.switches());
  std::iota(order.begin(), order.end(), SwitchId{0});
  std::uint64_t best = search.from(order);
  std::ranges::stable_sort(order, {}, [&](SwitchId at) { return smallest.vector[at]; });
  best = std::min(best, search.from(order));
  constexpr std::size_t steps = 2'000'000, most_starts = 32;
  const std::size_t starts = std::min(most_starts, steps / std::max<std::size_t>(joined.pairs(), 1));
  RandomStream random(1, "bisection");
  for (std::size_t start = 0; start < starts; ++start) {
    for (std::size_t n = order.size(); n > 1; --n) std::swap(order[n - 1], order[random.below(n)]);
    best = std::min(best, search.from(order));
  }
  const std::uint64_t at_least = spectral_bound(joined, has_hosts, smallest.value - smallest.residual);
  return BisectionBounds{std::min(at_least, best), best};
}

}  // namespace morgana
