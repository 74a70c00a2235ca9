#pragma once

#include <array>
#include <cstdint>

#include "emulator/collectives/power_of_two_group.h"
#include "emulator/collectives/schedule_writer.h"

namespace morgana::collectives::openmpi {

/// The reduce-scatter by which Rabenseifner's allreduce and reduce begin: partners at distances 1, 2, 4, ...
/// exchange halves of what they share and reduce the one that they keep, in whole elements; of an odd number
/// the upper half has one more.
class Halving {
 public:
  Halving(const CollectivePart& part, const PowerOfTwoGroup& group, std::int32_t number)
      : group_(group), number_(number), element_(part.element) {
    std::int64_t elements = part.bytes.count() / part.element.count();
    for (std::int32_t distance = 1; distance < group.size(); distance *= 2) {
      const std::int64_t lower = elements / 2, upper = elements - lower;
      const bool keeps_upper = (number & distance) != 0;
      kept_[steps_] = keeps_upper ? upper : lower;
      given_[steps_] = keeps_upper ? lower : upper;
      elements = kept_[steps_++];
    }
    block_ = element_ * elements;
  }
  /// What this member ends with.
  Bytes block() const { return block_; }
  std::size_t steps() const { return steps_; }
  /// What this member has after step `i`, and what its partner has then.
  Bytes kept(std::size_t i) const { return element_ * kept_[i]; }
  Bytes given(std::size_t i) const { return element_ * given_[i]; }
  std::int32_t partner(std::size_t i) const { return group_.member(number_ ^ (1 << i)); }

  void reduce_scatter(ScheduleWriter& writer) const {
    for (std::size_t i = 0; i < steps_; ++i) {
      writer.exchange(partner(i), given(i), kept(i));
      writer.reduce(kept(i));
    }
  }
  /// The same exchanges backwards: everyone gets all.
  void allgather(ScheduleWriter& writer) const {
    for (std::size_t i = steps_; i-- > 0;) writer.exchange(partner(i), kept(i), given(i));
  }

 private:
  const PowerOfTwoGroup& group_;
  std::int32_t number_;
  Bytes element_, block_;
  std::array<std::int64_t, 32> kept_{}, given_{};
  std::size_t steps_ = 0;
};

/// Before that, where the number of members is no power of two: neighbours of the first pairs exchange
/// halves, reduce one each, and the odd member sends its own to the even one.
inline void fold_odd_members(const Member& member, const PowerOfTwoGroup& group, ScheduleWriter& writer) {
  if (!group.is_paired(member.me)) return;
  const Bytes element = member.part.element;
  const Bytes lower = element * (member.part.bytes.count() / element.count() / 2);
  const Bytes upper = member.part.bytes - lower;
  const std::int32_t neighbour = group.neighbour(member.me);
  if (group.stays_out(member.me)) {
    writer.exchange(neighbour, lower, upper);
    writer.reduce(upper);
    writer.blocking_send(neighbour, upper);
  } else {
    writer.exchange(neighbour, upper, lower);
    writer.reduce(lower);
    writer.blocking_receive(neighbour, upper);
  }
}

}  // namespace morgana::collectives::openmpi
