#include "pvmshim/mpi/emulate/together.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "pvmshim/mpi/emulate/context_agreement.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/returned.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {
namespace {

/// What this thread entered last.
thread_local RequestId entered = no_request;

/// What this thread has entered or is to enter, and has not left yet.
thread_local std::vector<std::unique_ptr<MpichTraffic>> traffic;

/// What MPICH has not completed yet.
std::vector<PendingInMpich*> pending_in_mpich;

struct LaterEntry {
  Call call;
  CallPart part;
  std::shared_ptr<const Communicator> comm;
  int depth;  ///< of visits: in a callback MPICH does not wait for the others
  bool agrees = false;
};
/// This thread's, the innermost call's last: what MPICH calls meanwhile may make communicators, too.
thread_local std::vector<LaterEntry> later;

void forget(const PendingInMpich* pending) {
  std::erase(pending_in_mpich, pending);
  if (pending_in_mpich.empty()) me().live.channel().work_while_asleep(nullptr);
}

/// Whether MPICH's progress is under way on this rank, which may sleep in there when it tells the emulator
/// something: MPICH must not be entered again.
thread_local bool within_mpichs_progress = false;

thread_local bool lends_time = false;

/// A file request takes several steps, and between them the ranks exchange messages: as long as one look
/// brings something, the next may too.
void lend_time_to_mpich() {
  constexpr int looks = 8;
  if (within_mpichs_progress) return;
  lends_time = true;
  for (int look = 0; look < looks && !pending_in_mpich.empty(); ++look) {
    const std::vector<PendingInMpich*> now = pending_in_mpich;
    for (PendingInMpich* pending : now)
      if (pending->advance()) forget(pending);
  }
  lends_time = false;
}

Operation entry(Call call, CallPart part, Context context, RequestId request) {
  Operation start = plain_operation(OperationKind::collective, call, part);
  start.context = context;
  start.collective.kind = CollectiveKind::create_context;
  start.request = request;
  return start;
}

void announce_entry(Call call, CallPart part, Context context, std::uint64_t payload) {
  const RequestId request = entered = me().requests.next_id();
  Operation start = entry(call, part, context, request);
  start.payload = payload;
  me().live.post(start);
  Operation wait =
      completion_operation(OperationKind::wait, call, CallPart::middle, Completion::all, {&request, 1});
  wait.wants_answer = true;
  me().live.post(wait);
}

}  // namespace

void enter_together(Call call, CallPart part, Context context, std::uint64_t payload) {
  traffic.push_back(std::make_unique<MpichTraffic>());
  announce_entry(call, part, context, payload);
}

void enter_together_later(Call call, CallPart part, std::shared_ptr<const Communicator> comm) {
  traffic.push_back(std::make_unique<MpichTraffic>());
  later.push_back({call, part, std::move(comm), me().live.depth()});
}

std::shared_ptr<const Communicator> begin_agreement() {
  if (later.empty() || later.back().agrees || me().live.depth() != later.back().depth) return nullptr;
  const std::shared_ptr<const Communicator>& comm = later.back().comm;
  if (comm->is_inter() || comm->others() == 0) return nullptr;
  later.back().agrees = true;
  return comm;
}

bool mpich_has_pending() {
  return !pending_in_mpich.empty();
}

void mpich_waits() {
  if (later.empty() || me().live.depth() != later.back().depth) return;
  const LaterEntry now = later.back();
  later.pop_back();
  within_mpichs_progress = true;
  announce_entry(now.call, now.part, now.comm->context(), 0);
  within_mpichs_progress = false;
}

bool mpich_is_lent_time() {
  return lends_time;
}

Completed leave_together() {
  mpich_waits();
  leave_agreement();
  traffic.pop_back();
  for (const Completed& completed : me().live.await().completed)
    if (completed.request == entered) return completed;
  return {};
}

void end_call(Call call) {
  Operation last = plain_operation(OperationKind::nothing, call, CallPart::last);
  me().live.post(last);
}

PendingInMpich::PendingInMpich(Context context, MPI_Request by_mpich, std::function<void()> finished)
    : PendingInMpich(context, by_mpich, real().MPI_Test) {
  finished_ = std::move(finished);
}

PendingInMpich::PendingInMpich(Context context, MPI_Request by_mpich, Test test)
    : PendingInMpich(context, nullptr, std::move(test)) {
  by_mpich_ = by_mpich;
}

PendingInMpich::PendingInMpich(Context context, std::function<int(MPI_Request*)> begin, Test test)
    : context_(context), begin_(std::move(begin)), test_(std::move(test)) {
  pending_in_mpich.push_back(this);
  me().live.channel().work_while_asleep(&lend_time_to_mpich);
}

PendingInMpich::~PendingInMpich() {
  if (!done_) forget(this);
}

// MPI_Test moves every request of MPICH's on. An idle probe moves none, and MPI_Request_get_status not those
// of files, whose steps are functions that only a test or a wait of that very request calls.
bool PendingInMpich::advance() {
  if (done_) return true;
  if (is_behind_another()) return false;
  if (const auto begin = std::exchange(begin_, nullptr)) error_ = begin(&by_mpich_);
  int flag = 0;
  if (error_ == MPI_SUCCESS) error_ = test_(&by_mpich_, &flag, &status_);
  done_ = flag != 0 || error_ != MPI_SUCCESS;
  if (done_) traffic_.reset();
  return done_;
}

bool PendingInMpich::is_behind_another() const {
  const auto first = std::ranges::find(pending_in_mpich, context_, &PendingInMpich::context);
  return first != pending_in_mpich.end() && *first != this;
}

void PendingInMpich::start(Call call, CallPart part, Request& request) {
  Operation start = entry(call, part, context_, request.id);
  start.collective.blocking = false;
  me().live.post(start);
}

// Others may wait for what this rank has begun besides, so that all of it must move on.
void PendingInMpich::complete(Request& request, const Completed& completed) {
  while (!done_) lend_time_to_mpich();
  const bool returned = error_ == MPI_SUCCESS && completed.outcome != Outcome::delivered;
  request.error = returned ? error_of_returned : error_;
  if (returned) request.outcome = completed.outcome;
  request.status = status_;
  if (finished_) finished_();
}

bool has_pending(Context context) {
  return std::ranges::find(pending_in_mpich, context, &PendingInMpich::context) != pending_in_mpich.end();
}

void finish_pending(Context context) {
  while (has_pending(context)) lend_time_to_mpich();
}

void add_pending(Call call, CallPart part, std::shared_ptr<const Communicator> comm,
                 const std::shared_ptr<PendingInMpich>& pending, MPI_Request* handle) {
  Request& request = me().requests.add(*handle);
  request.comm = std::move(comm);
  request.completion_handler = pending;
  pending->start(call, part, request);
}

}  // namespace morgana::mpi::emulated
