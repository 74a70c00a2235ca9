#pragma once

#include <cstdint>

#include "emulator/collectives/member.h"
#include "emulator/collectives/schedule_writer.h"

namespace morgana::collectives::openmpi {

/// Elements of the member's message.
inline std::int64_t elements_of(const Member& member) {
  return member.part.bytes.count() / member.part.element.count();
}

/// A collective of another kind of the same members, of which this one is made. Root: member 0, which alone
/// is in place where this one is.
inline CollectivePart part_of_kind(const Member& member, CollectiveKind kind, Bytes bytes) {
  CollectivePart part;
  part.kind = kind;
  part.commutative = member.part.commutative;
  part.in_place = member.part.in_place && member.me == 0;
  part.element = member.part.element;
  part.bytes = bytes;
  return part;
}

/// Writes a collective that ends before what follows begins, in whole messages. One without bytes moves
/// nothing.
inline void run_part(const Member& member, const CollectivePart& part,
                     void (*algorithm)(const Member&, ScheduleWriter&), ScheduleWriter& writer) {
  if (part.bytes == Bytes()) return;
  algorithm({part, member.members, member.me}, writer);
  writer.fence();
}

}  // namespace morgana::collectives::openmpi
