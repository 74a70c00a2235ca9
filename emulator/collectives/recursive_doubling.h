#pragma once

#include <algorithm>

#include "emulator/collectives/schedule_writer.h"

namespace morgana::collectives {

/// In a step of recursive doubling at distance `distance`, the last `distance - provided` of this group of
/// `distance` members had no partner, because the number of members is no power of two: those who had one
/// hand on what they received, by halves.
/// @param member_at  the member who has a number
template <class MemberAt>
void hand_on_to_members_without_partner(std::int32_t number, std::int32_t distance, std::int32_t provided,
                                        Bytes bytes, MemberAt member_at, ScheduleWriter& writer) {
  for (std::int32_t half = distance / 2; half > 0; half /= 2) {
    const std::int32_t provided_below = (number & ~(2 * half - 1)) + provided;
    const std::int32_t peer = number ^ half;
    if (number < peer && number < provided_below && peer >= provided_below)
      writer.blocking_send(member_at(peer), bytes);
    else if (peer < number && peer < provided_below && number >= provided_below)
      writer.blocking_receive(member_at(peer), bytes);
  }
}

/// Everyone has the block of their own number and gets all: in step k, groups of 2^k members that have each
/// other's blocks exchange them with the neighbouring group (Thakur, Rabenseifner and Gropp, 2005).
template <class Blocks, class MemberAt>
void gather_by_recursive_doubling(std::int32_t number, const Blocks& blocks, MemberAt member_at,
                                  ScheduleWriter& writer) {
  const std::int32_t count = blocks.count();
  for (std::int32_t distance = 1; distance < count; distance *= 2) {
    const std::int32_t mine = number & ~(distance - 1);
    const std::int32_t theirs = mine ^ distance;
    if (theirs >= count) continue;
    const Bytes incoming = blocks.range(theirs, std::min(theirs + distance, count));
    const std::int32_t peer = number ^ distance;
    if (peer < count)
      writer.exchange(member_at(peer), blocks.range(mine, std::min(mine + distance, count)), incoming);
    if (theirs + distance > count)
      hand_on_to_members_without_partner(number, distance, count - theirs, incoming, member_at, writer);
  }
}

}  // namespace morgana::collectives
