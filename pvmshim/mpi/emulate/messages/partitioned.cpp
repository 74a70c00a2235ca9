// Partitioned sends and receives. The message goes as a whole when the last of its partitions is ready, and
// all partitions arrive with it.

#include <vector>

#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/messages.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/emulate/request_list.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/statuses.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {
namespace {

using Visit = LiveRank::Visit;

class PartitionedSend : public Startable {
 public:
  PartitionedSend(const Communicator& comm, int partitions, const Outgoing& message)
      : comm_(comm), ready_(static_cast<std::size_t>(partitions)), message_(message) {}

  void start(Call call, CallPart part, Request& request) override {
    ready_.assign(ready_.size(), false);
    missing_ = ready_.size();
    request.is_posted = false;
    request.is_awaited = must_await(SendMode::standard, message_);
    post_plain(call, part);
  }

  bool may_become_ready(int partition) const {
    return partition >= 0 && static_cast<std::size_t>(partition) < ready_.size() &&
           !ready_[static_cast<std::size_t>(partition)];
  }

  /// Sends the message if it was the last one.
  /// @return whether it was
  bool become_ready(Call call, int partition, Request& request) {
    ready_[static_cast<std::size_t>(partition)] = true;
    if (--missing_ > 0) return false;
    request.is_posted = true;
    if (message_.dest == MPI_PROC_NULL) {
      set_empty(request.status);
      request.done = true;
      return false;
    }
    message_.type = request.type;
    post_send(call, CallPart::whole, SendMode::standard, comm_, message_, request.id);
    return true;
  }

 private:
  const Communicator comm_;
  std::vector<bool> ready_;
  std::size_t missing_ = 0;
  Outgoing message_;
};

class PartitionedReceive : public Startable {
 public:
  PartitionedReceive(const Communicator& comm, int partitions, int source, int tag)
      : comm_(comm), partitions_(partitions), source_(source), tag_(tag) {}

  bool has(int partition) const { return partition >= 0 && partition < partitions_; }

  void start(Call call, CallPart part, Request& request) override {
    if (source_ == MPI_PROC_NULL) {
      set_from_nobody(request.status);
      request.done = true;
      post_plain(call, part);
      return;
    }
    post_receive(call, part, comm_, {request.buffer, request.count, request.type, source_, tag_}, request.id);
  }

 private:
  const Communicator comm_;
  int partitions_, source_, tag_;
};

/// A request for all partitions together.
Request& add_request(const std::shared_ptr<const Communicator>& comm, const Communicator& partitioned,
                     Call call, MPI_Count count, MPI_Datatype type, MPI_Request* handle) {
  Request& request = me().requests.add(*handle);
  request.inactive = true;
  request.comm = comm;
  request.count = count;
  request.keep_type(type);
  Operation context = context_operation(call, CallPart::whole, partitioned);
  me().live.post(context);
  return request;
}

template <typename Kind>
Kind* startable_of(MPI_Request handle) {
  return dynamic_cast<Kind*>(me().requests.at(handle).startable.get());
}

/// The partitions that a call names become ready.
template <typename PartitionAt>
int become_ready(Call call, int count, PartitionAt partition_at, MPI_Request handle) {
  Request& request = me().requests.at(handle);
  auto* send = startable_of<PartitionedSend>(handle);
  if (send == nullptr || request.inactive) return raise(*request.comm, MPI_ERR_REQUEST, call);
  bool sent = false;
  for (int i = 0; i < count; ++i) {
    if (!send->may_become_ready(partition_at(i))) return raise(*request.comm, MPI_ERR_ARG, call);
    sent = send->become_ready(call, partition_at(i), request);
  }
  if (!sent) post_plain(call);
  return MPI_SUCCESS;
}

}  // namespace

int Psend_init(const void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int dest, int tag,
               MPI_Comm handle, MPI_Info info, MPI_Request* request) {
  const Outgoing message{buffer, partitions * count, type, dest, tag};
  const auto comm = communicator(handle, "MPI_Psend_init");
  if (comm == nullptr || lacks_place(request) || partitions <= 0 || !message.valid_on(*comm))
    return error_of_mpich(real().MPI_Psend_init, buffer, partitions, count, type, dest, tag, handle, info,
                          request);
  const Visit visit(me().live);
  const Communicator partitioned = me().communicators.for_partitioned(*comm, true, dest, tag);
  Request& sending = add_request(comm, partitioned, Call::MPI_Psend_init, message.count, type, request);
  sending.is_send = true;
  sending.startable = std::make_unique<PartitionedSend>(partitioned, partitions, message);
  return MPI_SUCCESS;
}

int Precv_init(void* buffer, int partitions, MPI_Count count, MPI_Datatype type, int source, int tag,
               MPI_Comm handle, MPI_Info info, MPI_Request* request) {
  const auto comm = communicator(handle, "MPI_Precv_init");
  // There are no wildcards.
  if (comm == nullptr || lacks_place(request) || partitions <= 0 || !is_message(buffer, count, type) ||
      !is_destination(*comm, source, tag))
    return error_of_mpich(real().MPI_Precv_init, buffer, partitions, count, type, source, tag, handle, info,
                          request);
  const Visit visit(me().live);
  const Communicator partitioned = me().communicators.for_partitioned(*comm, false, source, tag);
  Request& receiving =
      add_request(comm, partitioned, Call::MPI_Precv_init, partitions * count, type, request);
  receiving.buffer = buffer;
  receiving.startable = std::make_unique<PartitionedReceive>(partitioned, partitions, source, tag);
  return MPI_SUCCESS;
}

int Pready(int partition, MPI_Request request) {
  const Visit visit(me().live);
  if (!RequestHandles::is_ours(request)) return error_of_mpich(real().MPI_Pready, partition, request);
  return become_ready(
      Call::MPI_Pready, 1, [=](int) { return partition; }, request);
}

int Pready_range(int first, int last, MPI_Request request) {
  const Visit visit(me().live);
  if (!RequestHandles::is_ours(request)) return error_of_mpich(real().MPI_Pready_range, first, last, request);
  return become_ready(
      Call::MPI_Pready_range, last - first + 1, [=](int i) { return first + i; }, request);
}

int Pready_list(int count, const int* partitions, MPI_Request request) {
  const Visit visit(me().live);
  if (!RequestHandles::is_ours(request))
    return error_of_mpich(real().MPI_Pready_list, count, const_cast<int*>(partitions), request);
  return become_ready(
      Call::MPI_Pready_list, count, [=](int i) { return partitions[i]; }, request);
}

int Parrived(MPI_Request request, int partition, int* flag) {
  const Visit visit(me().live);
  if (!RequestHandles::is_ours(request) || lacks_place(flag))
    return error_of_mpich(real().MPI_Parrived, request, partition, flag);
  const Communicator& comm = *me().requests.at(request).comm;
  const auto* receive = startable_of<PartitionedReceive>(request);
  if (receive == nullptr) return raise(comm, MPI_ERR_REQUEST, Call::MPI_Parrived);
  if (!receive->has(partition)) return raise(comm, MPI_ERR_ARG, Call::MPI_Parrived);
  RequestList list(1, &request);
  list.settle(Call::MPI_Parrived, OperationKind::test, Completion::all);
  *flag = list.is_done(0) || !list.has_active() ? 1 : 0;
  return MPI_SUCCESS;
}

}  // namespace morgana::mpi::emulated
