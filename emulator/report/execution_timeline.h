#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "emulator/core/time.h"

namespace morgana {

/// What each rank of an execution trace did when. Communication is hidden while a stream of the rank
/// computes, and exposed otherwise; where neither goes on the rank is idle.
struct ExecutionTimeline {
  struct Span {
    SimTime begin, end;  ///< begin < end
  };
  struct OfRank {
    std::map<std::uint32_t, std::vector<Span>> streams;  ///< computing, by the stream's number, in order
    std::vector<Span> hidden, exposed;                   ///< communication, in order
  };
  std::vector<OfRank> ranks;
  SimTime end;  ///< of the last span

  /// How many spans there are.
  std::size_t spans() const;
  /// Adds a span, not before others of its list; one that begins where the last one ends lengthens that.
  void add(std::vector<Span>& list, SimTime begin, SimTime end);
};

/// The same with spans that end on multiples of `step`: a part of the time between two of these belongs to a
/// span if spans fill at least half of it. @param step  > 0
ExecutionTimeline coarsened(const ExecutionTimeline& timeline, SimTime step);

}  // namespace morgana
