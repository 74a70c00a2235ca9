#pragma once

#include <fmt/format.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "emulator/operations/operation.h"
#include "pvmshim/agent/frame.h"

namespace morgana {

/// On which machines a run's ranks are, as one of its agents sees it. PVM tasks get their places while the
/// program runs; each agent hears of a task's before anybody can know of the task. For several threads.
class RankPlaces {
 public:
  /// Of a rank that has no place yet.
  static constexpr std::uint32_t nowhere = ~std::uint32_t{0};

  /// @param machine_of  by rank. @param own  this agent's number
  RankPlaces(const std::vector<std::uint32_t>& machine_of, std::size_t own)
      : machine_of_(machine_of.size()), own_(own) {
    for (std::size_t rank = 0; rank < ranks(); ++rank) machine_of_[rank] = machine_of[rank];
  }

  std::size_t ranks() const { return machine_of_.size(); }
  bool is_rank(Rank rank) const { return rank >= Rank{0} && index(rank) < ranks(); }
  bool is_placed(Rank rank) const { return machine_of_[index(rank)] != nowhere; }
  /// Of one that is placed.
  std::size_t machine_of(Rank rank) const { return machine_of_[index(rank)]; }
  bool is_own(Rank rank) const { return machine_of(rank) == own_; }
  std::vector<Rank> own() const { return those(true); }
  std::vector<Rank> elsewhere() const { return those(false); }

  /// @throws MalformedFrame if there is no such rank
  void place(std::int32_t rank, std::uint32_t machine) {
    if (!is_rank(Rank{rank})) throw MalformedFrame(fmt::format("there is no rank {}", rank));
    machine_of_[static_cast<std::size_t>(rank)] = machine;
  }
  /// @throws MalformedFrame if that is no rank of this machine's
  Rank checked(std::int32_t rank) const {
    if (!is_rank(Rank{rank}) || !is_own(Rank{rank}))
      throw MalformedFrame(fmt::format("rank {} is not on this machine", rank));
    return Rank{rank};
  }

 private:
  std::vector<Rank> those(bool here) const {
    std::vector<Rank> ranks;
    for (std::size_t number = 0; number < machine_of_.size(); ++number)
      if (const Rank rank{static_cast<std::int32_t>(number)}; is_placed(rank) && is_own(rank) == here)
        ranks.push_back(rank);
    return ranks;
  }

  std::vector<std::atomic<std::uint32_t>> machine_of_;
  std::size_t own_;
};

}  // namespace morgana
