#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "emulator/operations/operation.h"
#include "pvmshim/agent/frame.h"

namespace morgana {

/// On which machines a run's ranks are, as one of its agents sees it.
class RankPlaces {
 public:
  /// @param machine_of  by rank. @param own  this agent's number
  RankPlaces(std::vector<std::uint32_t> machine_of, std::size_t own)
      : machine_of_(std::move(machine_of)), own_(own) {}

  std::size_t ranks() const { return machine_of_.size(); }
  bool is_rank(Rank rank) const { return rank >= Rank{0} && index(rank) < ranks(); }
  std::size_t machine_of(Rank rank) const { return machine_of_[index(rank)]; }
  bool is_own(Rank rank) const { return machine_of(rank) == own_; }
  std::vector<Rank> own() const { return those(true); }
  std::vector<Rank> elsewhere() const { return those(false); }

  /// @throws MalformedFrame if that is no rank of this machine's
  Rank checked(std::int32_t rank) const {
    if (!is_rank(Rank{rank}) || !is_own(Rank{rank}))
      throw MalformedFrame(fmt::format("rank {} is not on this machine", rank));
    return Rank{rank};
  }

 private:
  std::vector<Rank> those(bool here) const {
    std::vector<Rank> ranks;
    for (std::size_t rank = 0; rank < machine_of_.size(); ++rank)
      if ((machine_of_[rank] == own_) == here) ranks.push_back(Rank{static_cast<std::int32_t>(rank)});
    return ranks;
  }

  std::vector<std::uint32_t> machine_of_;
  std::size_t own_;
};

}  // namespace morgana
