#pragma once

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

/// Chooses the group of virtual channels that a link sends on next. docs/fabric.md, "Arbitration".
class LaneArbiter {
 public:
  /// @param tables  of weighted arbitration; must outlive it
  LaneArbiter(LaneArbitration arbitration, unsigned groups, const LaneTables& tables);

  /// What was chosen, for sent().
  struct Choice {
    unsigned group = 0;
    bool high = false;       ///< weighted: from the high table
    std::uint8_t entry = 0;  ///< weighted: of the table
  };
  /// @param ready  groups that have a packet that may start; not empty
  Choice choose(GroupSet ready) const;
  /// A packet of the choice's group has started.
  void sent(const Choice& choice, Bytes size);

 private:
  struct Place {
    std::uint8_t entry = 0;
    std::int32_t left = 0;  ///< of its weight
  };
  static GroupSet groups_of(std::span<const LaneWeight> table);
  static unsigned next_entry(std::span<const LaneWeight> table, const Place& place, GroupSet ready);
  static void advance(std::span<const LaneWeight> table, Place& place, unsigned entry, Bytes size);

  LaneArbitration arbitration_;
  std::uint8_t groups_;
  std::uint8_t next_ = 0;  // round robin
  const LaneTables* tables_;
  Place high_, low_;
  GroupSet in_high_ = 0, in_low_ = 0;
  std::int64_t sent_high_ = 0;  // bytes since the last packet of the low table
};

}  // namespace morgana::fabric
