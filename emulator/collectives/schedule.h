#pragma once

#include <cstdint>
#include <vector>

#include "emulator/collectives/tuning.h"
#include "emulator/operations/operation.h"

namespace morgana {

/// One step of a rank's part of a collective.
struct ScheduleStep {
  enum class Kind : std::uint8_t {
    send,     ///< `bytes` to `peer`
    receive,  ///< `bytes` from `peer`
    reduce,   ///< combines `bytes` of operands on the processor
    copy,     ///< moves `bytes` within the rank's memory
    fence,    ///< what follows starts when everything before it has completed
  };
  Kind kind;
  std::int32_t peer = -1;  ///< index in the context's members, never the rank itself
  Bytes bytes;
  bool operator==(const ScheduleStep&) const = default;
};

/// What one member does in a collective: the steps between two fences start together, in the order listed
/// (receives are posted before the sends of the same group that follow them in the list). Between the same
/// two members, sends match receives in order.
using Schedule = std::vector<ScheduleStep>;

/// The part of member `me` of `members` in a collective. Algorithms and their thresholds are those of
/// MPICH 4.0 on a communicator in which it sees no nodes, or those of Open MPI 4.1 if `tuning` says so,
/// blocking and nonblocking forms apart, unless `tuning` names an algorithm (algorithm_choice.h lists them);
/// one that can't carry out this part gives way to the library's choice. Operators that commute count as
/// built in. Of gatherv and scatterv, members other than the root give in `part.bytes` what they send or get.
/// Where no byte moves at all the schedule is empty. On an intercommunicator (`part.first_group` > 0) the
/// algorithms are MPICH 4.0's for those, whatever `tuning` and the library say, and empty messages travel
/// where MPICH sends them. Allocates nothing beyond `schedule`, whose storage it reuses, except where sizes
/// are listed.
/// @throws Error for a size list whose length does not fit, a root that is no member, an unknown algorithm,
/// and on an intercommunicator for an empty group and for what MPI does not define there: scans,
/// neighbourhoods, in place
void make_schedule(const CollectivePart& part, std::int32_t members, std::int32_t me,
                   const CollectiveTuning& tuning, Schedule& schedule);

}  // namespace morgana
