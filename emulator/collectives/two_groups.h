#pragma once

#include "emulator/collectives/algorithms.h"

namespace morgana::collectives {

/// Members that follow one another in the list of all.
struct MemberRange {
  std::int32_t first, size;

  bool contains(std::int32_t member) const { return member >= first && member < first + size; }
};

/// The two groups of an intercommunicator, as one member sees them. The first member of each leads it.
class TwoGroups {
 public:
  explicit TwoGroups(const Member& member)
      : in_first_(member.me < member.part.first_group),
        own_(in_first_ ? low(member) : high(member)),
        remote_(in_first_ ? high(member) : low(member)),
        place_(member.me - own_.first) {}

  const MemberRange& own() const { return own_; }
  const MemberRange& remote() const { return remote_; }
  bool in_first() const { return in_first_; }
  bool leads() const { return place_ == 0; }
  /// This member's number in its own group.
  std::int32_t place() const { return place_; }

  /// Writes this member's share in a collective of its own group alone, by the algorithm that MPICH takes on
  /// an ordinary communicator. A root is counted within the group.
  void run_locally(const CollectivePart& part, ScheduleWriter& writer) const;

 private:
  static MemberRange low(const Member& member) { return {0, member.part.first_group}; }
  static MemberRange high(const Member& member) {
    return {member.part.first_group, member.members - member.part.first_group};
  }

  bool in_first_;
  MemberRange own_, remote_;
  std::int32_t place_;
};

// The phases of which the collectives between groups are made. Those that have a root take its index in the
// list of all members; the other members of its group do nothing.

/// The root's message goes to the leader of the other group, who broadcasts it there.
void broadcast_across(const Member& member, const TwoGroups& groups, std::int32_t root, Bytes bytes,
                      ScheduleWriter& writer);
/// The other group reduces its operands in its leader, who sends the result to the root.
void reduce_across(const Member& member, const TwoGroups& groups, std::int32_t root, Bytes bytes,
                   ScheduleWriter& writer);
/// The members of the other group send their `part.bytes`, if any, to the root, who knows the sizes.
void gatherv_across(const Member& member, const TwoGroups& groups, std::int32_t root, ScheduleWriter& writer);

/// After what blocks in the blocking form of a collective, and in the other runs alongside what follows.
inline void fence_if_blocking(const Member& member, ScheduleWriter& writer) {
  if (member.part.blocking) writer.fence();
}

/// A collective with these properties of `member`'s, in which everyone of a group has `bytes` and whose root
/// is the leader.
CollectivePart local_part(const Member& member, CollectiveKind kind, Bytes bytes);

}  // namespace morgana::collectives
