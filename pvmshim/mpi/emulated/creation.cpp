#include "pvmshim/mpi/emulated/creation.h"

#include "pvmshim/mpi/emulated/emulated_rank.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {

void enter_creation(Call call, CallPart part, Context context) {
  Operation start = plain_operation(OperationKind::collective, call, part);
  start.context = context;
  start.collective.kind = CollectiveKind::create_context;
  start.request = me().requests.next_id();
  me().live.post(start);
  Operation wait =
      completion_operation(OperationKind::wait, call, CallPart::middle, Completion::all, {&start.request, 1});
  wait.wants_answer = true;
  me().live.post(wait);
}

}  // namespace morgana::mpi::emulated
