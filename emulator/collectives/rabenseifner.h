#pragma once

#include "emulator/collectives/blocks.h"
#include "emulator/collectives/power_of_two_group.h"
#include "emulator/collectives/schedule_writer.h"

namespace morgana::collectives {

/// Consecutive blocks first .. last-1.
struct BlockRange {
  std::int32_t first, last;

  std::int32_t length() const { return last - first; }
  BlockRange lower_half() const { return {first, first + length() / 2}; }
  BlockRange upper_half() const { return {first + length() / 2, last}; }
  /// The other half of the range of which this is one half.
  BlockRange sibling(bool this_is_upper) const {
    return this_is_upper ? BlockRange{first - length(), first} : BlockRange{last, last + length()};
  }
  BlockRange joined(BlockRange other) const {
    return {std::min(first, other.first), std::max(last, other.last)};
  }
};

/// The operand's elements, cut for the group. MPICH's nonblocking forms leave the remainder to the last.
inline EvenBlocks operand_blocks(const CollectivePart& part, const PowerOfTwoGroup& group) {
  return {part.bytes, part.element, group.size(),
          part.blocking ? EvenCut::Leftovers::one_each_for_the_first : EvenCut::Leftovers::all_for_the_last};
}

/// The reduce-scatter by which Rabenseifner's algorithms begin: at distances 1, 2, 4, ... partners split the
/// blocks that they still share and each reduces one half ("A new optimized MPI reduce algorithm", 1997).
/// @param number  this member's in the group
/// @return the one block that this member ends with
inline BlockRange halve_from_distance_one(std::int32_t number, const PowerOfTwoGroup& group,
                                          const EvenBlocks& blocks, ScheduleWriter& writer) {
  BlockRange mine{0, group.size()};
  for (std::int32_t distance = 1; distance < group.size(); distance *= 2) {
    const bool upper = (number & distance) != 0;
    const BlockRange kept = upper ? mine.upper_half() : mine.lower_half();
    const BlockRange given = kept.sibling(upper);
    const Bytes incoming = blocks.range(kept.first, kept.last);
    writer.exchange(group.member(number ^ distance), blocks.range(given.first, given.last), incoming);
    writer.reduce(incoming);
    mine = kept;
  }
  return mine;
}

}  // namespace morgana::collectives
