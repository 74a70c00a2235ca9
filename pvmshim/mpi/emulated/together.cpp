#include "pvmshim/mpi/emulated/together.h"

#include <optional>
#include <vector>

#include "pvmshim/mpi/emulated/emulated_rank.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {
namespace {

/// MPICH's requests that are pending.
std::vector<MPI_Request> pending_in_mpich;

struct LaterEntry {
  Call call;
  CallPart part;
  Context context;
  int depth;  ///< of visits: in a callback MPICH does not wait for the others
};
std::optional<LaterEntry> later;

// To look at a request that is not complete is what moves MPICH on; an idle probe does not.
void lend_time_to_mpich() {
  for (const MPI_Request request : pending_in_mpich) {
    int ignored = 0;
    real().MPI_Request_get_status(request, &ignored, MPI_STATUS_IGNORE);
  }
}

Operation entry(Call call, CallPart part, Context context, RequestId request) {
  Operation start = plain_operation(OperationKind::collective, call, part);
  start.context = context;
  start.collective.kind = CollectiveKind::create_context;
  start.request = request;
  return start;
}

}  // namespace

void enter_together(Call call, CallPart part, Context context) {
  const RequestId request = me().requests.next_id();
  Operation start = entry(call, part, context, request);
  me().live.post(start);
  Operation wait =
      completion_operation(OperationKind::wait, call, CallPart::middle, Completion::all, {&request, 1});
  wait.wants_answer = true;
  me().live.post(wait);
}

void enter_together_later(Call call, CallPart part, Context context) {
  later = {call, part, context, me().live.depth()};
}

void mpich_waits() {
  if (!later || me().live.depth() != later->depth) return;
  const LaterEntry now = *later;
  later.reset();
  enter_together(now.call, now.part, now.context);
}

void leave_together() {
  mpich_waits();
  me().live.await();
}

void end_call(Call call) {
  Operation last = plain_operation(OperationKind::nothing, call, CallPart::last);
  me().live.post(last);
}

PendingInMpich::PendingInMpich(Context context, MPI_Request by_mpich, std::function<void()> finished)
    : context_(context), by_mpich_(by_mpich), finished_(std::move(finished)) {
  pending_in_mpich.push_back(by_mpich);
  me().live.channel().work_while_asleep(&lend_time_to_mpich);
}

void PendingInMpich::start(Call call, CallPart part, Request& request) {
  Operation start = entry(call, part, context_, request.id);
  start.collective.blocking = false;
  me().live.post(start);
}

void PendingInMpich::complete(Request& request, const Completed&) {
  MPI_Status status{};
  std::erase(pending_in_mpich, by_mpich_);
  if (pending_in_mpich.empty()) me().live.channel().work_while_asleep(nullptr);
  request.error = real().MPI_Wait(&by_mpich_, &status);
  request.status = status;
  finished_();
}

void add_pending(Call call, CallPart part, std::shared_ptr<const Communicator> comm,
                 std::shared_ptr<PendingInMpich> pending, MPI_Request* handle) {
  Request& request = me().requests.add(*handle);
  request.comm = std::move(comm);
  request.undertaking = pending;
  pending->start(call, part, request);
}

}  // namespace morgana::mpi::emulated
