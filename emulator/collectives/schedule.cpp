#include "emulator/collectives/schedule.h"

#include <cassert>

#include "emulator/collectives/agreed_sizes.h"
#include "emulator/collectives/algorithm_table.h"
#include "emulator/collectives/part_check.h"

namespace morgana {
namespace {

using collectives::Member;
using collectives::ScheduleWriter;

/// @return whether there is an algorithm for it
bool plan(const CollectivePart& part, std::int32_t members, std::int32_t me, const CollectiveTuning& tuning,
          ScheduleWriter& writer) {
  Member member{part, members, me};
  collectives::check(member);
  const auto [algorithm, is_named] = collectives::chosen_algorithm(member, tuning);
  if (algorithm == nullptr) return false;
  if (is_named) {
    member.segment = tuning.segment;
    member.chains = static_cast<std::int32_t>(tuning.chains);
  }
  if (collectives::has_one_size(part) && part.bytes == Bytes()) return true;
  algorithm(member, writer);
  return true;
}

}  // namespace

void make_schedule(const CollectivePart& part, std::int32_t members, std::int32_t me,
                   const CollectiveTuning& tuning, Schedule& schedule) {
  assert(members > 0 && me >= 0 && me < members);
  ScheduleWriter writer(schedule);
  if (!plan(part, members, me, tuning, writer)) {  // MPICH's way of creating a context
    plan(collectives::context_mask_reduction(part.blocking), members, me, tuning, writer);
    writer.fence();
    plan(collectives::context_number_broadcast(part.blocking), members, me, tuning, writer);
  }
  writer.finish();
}

}  // namespace morgana
