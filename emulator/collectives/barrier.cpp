#include "emulator/collectives/algorithms.h"

namespace morgana::collectives {

// Hensgen, Finkel and Manber, "Two Algorithms for Barrier Synchronization", 1988: in step k everyone tells
// the member 2^k places on that they, and all of whom they have heard, are there.
void barrier_dissemination(const Member& member, ScheduleWriter& writer) {
  for (std::int32_t distance = 1; distance < member.members; distance *= 2)
    writer.send_receive(member.after(distance), Bytes(), member.before(distance), Bytes());
}

}  // namespace morgana::collectives
