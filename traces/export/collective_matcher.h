#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "emulator/operations/operation.h"
#include "traces/export/timeline.h"

namespace morgana {

/// Finds which ranks' calls are one collective: on each communicator every member's first is the same, and
/// its second, and so on, those in the background counted where they begin (MPI 4.0, section 6.12).
class CollectiveMatcher {
 public:
  /// What follows is of another rank.
  void next_rank() { begun_.clear(); }
  /// A rank's next collective on a communicator. @param name  in Timeline::names, of the call that begins it
  /// @return its number, for end()
  std::size_t begin(std::uint32_t communicator, Rank rank, std::uint32_t name, SimTime at);
  void end(std::size_t part, SimTime at) { parts_[part].end = at; }
  /// Puts those that have ended on two ranks or more into the timeline.
  void finish(Timeline& timeline);

 private:
  std::vector<std::uint32_t> names_;  ///< by collective
  std::vector<Timeline::Part> parts_;
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> of_communicator_;  ///< collectives, in order
  std::unordered_map<std::uint32_t, std::size_t> begun_;  ///< by communicator: how many this rank has begun
};

}  // namespace morgana
