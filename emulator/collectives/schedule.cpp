#include "emulator/collectives/schedule.h"

#include <cassert>

#include "emulator/collectives/agreed_sizes.h"
#include "emulator/collectives/algorithm_table.h"
#include "emulator/collectives/part_check.h"

namespace morgana {
namespace {

using collectives::Algorithm;
using collectives::Member;
using collectives::ScheduleWriter;

void plan(const Member& member, const CollectiveTuning& tuning, ScheduleWriter& writer) {
  collectives::check(member);
  const Algorithm algorithm = collectives::chosen_algorithm(member, tuning);
  if (collectives::has_one_size(member.part) && member.part.bytes == Bytes()) return;
  algorithm(member, writer);
}

}  // namespace

void make_schedule(const CollectivePart& part, std::int32_t members, std::int32_t me,
                   const CollectiveTuning& tuning, Schedule& schedule) {
  assert(members > 0 && me >= 0 && me < members);
  ScheduleWriter writer(schedule);
  if (part.kind == CollectiveKind::create_context && part.first_group == 0) {
    plan({collectives::context_mask_reduction(part.blocking), members, me}, tuning, writer);
    writer.fence();
    plan({collectives::context_number_broadcast(part.blocking), members, me}, tuning, writer);
  } else {
    plan({part, members, me}, tuning, writer);
  }
  writer.finish();
}

}  // namespace morgana
