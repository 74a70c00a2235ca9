#pragma once

#include <bit>
#include <cassert>
#include <cstdint>
#include <span>
#include <vector>

#include "emulator/core/units.h"
#include "emulator/network/fabric/parameters.h"

namespace morgana::fabric {

/// A bit for each group of virtual channels; there are at most 32.
using GroupSet = std::uint32_t;
constexpr GroupSet only(unsigned group) {
  return GroupSet{1} << group;
}
/// The first of the set from `next` on, cyclically. @param set  not empty
constexpr unsigned first_from(GroupSet set, unsigned next) {
  const GroupSet from_next = set & ~(only(next) - 1);
  return static_cast<unsigned>(std::countr_zero(from_next != 0 ? from_next : set));
}

/// Chooses the group of virtual channels that a link sends on next. docs/fabric.md, "Arbitration".
class LaneArbiter {
 public:
  /// @param parameters  must outlive it. @param groups  as many of each class
  LaneArbiter(const FabricParameters& parameters, unsigned groups);

  /// The group whose packet starts now.
  /// @param ready  groups that have a packet that may start; not empty
  /// @param size  size(group) of such a group: of its packet, on the link
  template <typename Size>
  unsigned take(GroupSet ready, Size size) {
    assert(ready != 0);
    switch (parameters_->lane_arbitration) {
      case LaneArbitration::strict:
        return static_cast<unsigned>(std::countr_zero(ready));
      case LaneArbitration::round_robin: {
        const unsigned group = first_from(ready, next_);
        next_ = static_cast<std::uint8_t>(group + 1 < groups_ ? group + 1 : 0);
        return group;
      }
      case LaneArbitration::weighted: {
        const Choice choice = choose(ready);
        sent(choice, size(choice.group));
        return choice.group;
      }
      case LaneArbitration::deficit_round_robin:
        break;
    }
    return by_deficit(ready, size);
  }

 private:
  /// Of tables of weights.
  struct Choice {
    unsigned group = 0;
    bool high = false;  ///< from the high table
    std::uint16_t entry = 0;
  };
  struct Place {
    std::uint16_t entry = 0;
    std::int32_t left = 0;  ///< of its weight
  };
  /// Of a traffic class in deficit round robin.
  struct Share {
    std::int64_t deficit = 0;
    std::uint8_t next = 0;  ///< group, round robin
  };
  Choice choose(GroupSet ready) const;
  void sent(const Choice& choice, Bytes size);
  static GroupSet groups_of(std::span<const LaneWeight> table);
  static unsigned next_entry(std::span<const LaneWeight> table, const Place& place, GroupSet ready);
  static void advance(std::span<const LaneWeight> table, Place& place, unsigned entry, Bytes size);

  GroupSet groups_of(unsigned traffic_class) const {
    const unsigned each = groups_ / parameters_->classes;
    return (only(each) - 1) << traffic_class * each;
  }
  unsigned take_of(Share& share, GroupSet ready) {
    const unsigned group = first_from(ready, share.next);
    share.next = static_cast<std::uint8_t>(group + 1);
    return group;
  }
  bool strict_ready(GroupSet ready, unsigned& traffic_class) const;
  void next_class(GroupSet ready);

  template <typename Size>
  unsigned by_deficit(GroupSet ready, Size size) {
    if (unsigned first = 0; strict_ready(ready, first))
      return take_of(shares_[first], ready & groups_of(first));
    for (;; next_class(ready)) {  // a quantum is enough for any packet
      Share& share = shares_[current_];
      const GroupSet its = ready & groups_of(current_);
      if (its == 0) {
        share.deficit = 0;
        continue;
      }
      const std::int64_t bytes = size(first_from(its, share.next)).count();
      if (bytes > share.deficit) continue;
      share.deficit -= bytes;
      return take_of(share, its);
    }
  }

  const FabricParameters* parameters_;
  std::uint8_t groups_;
  std::uint8_t next_ = 0;     // round robin
  std::uint8_t current_ = 0;  // deficit round robin: class
  Place high_, low_;
  GroupSet in_high_ = 0, in_low_ = 0;
  std::int64_t sent_high_ = 0;  // bytes since the last packet of the low table
  std::vector<Share> shares_;   // deficit round robin: by class
};

}  // namespace morgana::fabric
