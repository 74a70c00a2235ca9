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

/// The same with spans that end on multiples of `step`, or at the timeline's end. A part of the time between
/// two of these belongs to one kind wholly: computing or idle of a stream; hidden, exposed or idle of a
/// rank's communication. That is one of those that the part has, and of them the one that earlier parts with
/// this one owe most time to. So what each kind takes in all is as before up to two steps, and a span that is
/// shorter than a step may vanish or be drawn as long as one. @param step  > 0
ExecutionTimeline coarsened(const ExecutionTimeline& timeline, SimTime step);

}  // namespace morgana
