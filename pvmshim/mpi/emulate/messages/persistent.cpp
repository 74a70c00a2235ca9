// Persistent sends and receives: what the program describes once and starts as often as it likes. Each start
// posts what MPI_Isend or MPI_Irecv would.

#include <algorithm>
#include <span>

#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/messages.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/statuses.h"

namespace morgana::mpi::emulated {
namespace {

using Visit = LiveRank::Visit;
using RealSendInit = decltype(&MPI_Send_init_c);

class PersistentSend : public Startable {
 public:
  PersistentSend(SendMode mode, const Outgoing& message) : mode_(mode), message_(message) {}

  void start(Call call, CallPart part, Request& request) override {
    if (message_.dest == MPI_PROC_NULL) {
      set_empty(request.status);
      request.done = true;
      post_plain(call, part);
      return;
    }
    message_.type = request.type;
    if (lacks_buffer(mode_, message_)) {
      request.error = MPI_ERR_BUFFER;
      request.done = true;
      post_plain(call, part);
      return;
    }
    request.is_awaited = must_await(mode_, message_);
    post_send(call, part, mode_, *request.comm, message_, request.id);
  }

 private:
  SendMode mode_;
  Outgoing message_;
};

class PersistentReceive : public Startable {
 public:
  PersistentReceive(int source, int tag) : source_(source), tag_(tag) {}

  void start(Call call, CallPart part, Request& request) override {
    if (source_ == MPI_PROC_NULL) {
      set_from_nobody(request.status);
      request.done = true;
      post_plain(call, part);
      return;
    }
    post_receive(call, part, *request.comm, {request.buffer, request.count, request.type, source_, tag_},
                 request.id);
  }

 private:
  int source_, tag_;
};

int send_init(Call call, RealSendInit real_call, SendMode mode, const Outgoing& message, MPI_Comm handle,
              MPI_Request* request) {
  const auto comm = communicator(handle, name_of(call));
  if (comm == nullptr || lacks_place(request) || !message.valid_on(*comm))
    return error_of_mpich(real_call, message.buffer, message.count, message.type, message.dest, message.tag,
                          handle, request);
  const Visit visit(me().live);
  Request& sending = me().requests.add(*request);
  sending.is_send = true;
  sending.inactive = true;
  sending.comm = comm;
  sending.keep_type(message.type);
  sending.startable = std::make_unique<PersistentSend>(mode, message);
  post_plain(call);
  return MPI_SUCCESS;
}

bool can_start(MPI_Request handle) {
  if (!RequestHandles::is_ours(handle)) return true;  // MPICH says so itself if it can't
  const Request& request = me().requests.at(handle);
  return request.startable != nullptr && request.inactive;
}

int start_all(Call call, std::span<MPI_Request> requests) {
  const auto unable = std::ranges::find_if_not(requests, can_start);
  if (unable != requests.end()) return raise(*me().requests.at(*unable).comm, MPI_ERR_REQUEST, call);
  const auto ours = std::ranges::count_if(requests, RequestHandles::is_ours);
  std::ptrdiff_t started = 0;
  for (MPI_Request& handle : requests) {
    if (!RequestHandles::is_ours(handle)) {
      const int error = real().MPI_Start(&handle);
      if (error != MPI_SUCCESS) return error;
      continue;
    }
    const bool first = started == 0, last = ++started == ours;
    const CallPart part = first && last ? CallPart::whole
                          : first       ? CallPart::first
                          : last        ? CallPart::last
                                        : CallPart::middle;
    me().requests.activate(handle);
    Request& request = me().requests.at(handle);
    request.startable->start(call, part, request);
  }
  if (ours == 0) post_plain(call);
  return MPI_SUCCESS;
}

}  // namespace

int Send_init(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
              MPI_Request* request) {
  return send_init(Call::MPI_Send_init, real().MPI_Send_init_c, SendMode::standard,
                   {buffer, count, type, dest, tag}, comm, request);
}

int Bsend_init(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return send_init(Call::MPI_Bsend_init, real().MPI_Bsend_init_c, SendMode::buffered,
                   {buffer, count, type, dest, tag}, comm, request);
}

int Ssend_init(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return send_init(Call::MPI_Ssend_init, real().MPI_Ssend_init_c, SendMode::synchronous,
                   {buffer, count, type, dest, tag}, comm, request);
}

int Rsend_init(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
               MPI_Request* request) {
  return send_init(Call::MPI_Rsend_init, real().MPI_Rsend_init_c, SendMode::ready,
                   {buffer, count, type, dest, tag}, comm, request);
}

int Recv_init(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm handle,
              MPI_Request* request) {
  const Incoming message{buffer, count, type, source, tag};
  const auto comm = communicator(handle, "MPI_Recv_init");
  if (comm == nullptr || lacks_place(request) || !message.valid_on(*comm))
    return error_of_mpich(real().MPI_Recv_init_c, buffer, count, type, source, tag, handle, request);
  const Visit visit(me().live);
  Request& receiving = me().requests.add(*request);
  receiving.inactive = true;
  receiving.comm = comm;
  receiving.buffer = buffer;
  receiving.count = count;
  receiving.keep_type(type);
  receiving.startable = std::make_unique<PersistentReceive>(source, tag);
  post_plain(Call::MPI_Recv_init);
  return MPI_SUCCESS;
}

int Start(MPI_Request* request) {
  const Visit visit(me().live);
  if (lacks_place(request) || *request == MPI_REQUEST_NULL) return error_of_mpich(real().MPI_Start, request);
  return start_all(Call::MPI_Start, {request, 1});
}

int Startall(int count, MPI_Request* requests) {
  const Visit visit(me().live);
  const std::span all(requests, requests == nullptr ? 0 : static_cast<std::size_t>(std::max(count, 0)));
  if (count < 0 || (count > 0 && requests == nullptr) ||
      std::ranges::find(all, MPI_REQUEST_NULL) != all.end())
    return error_of_mpich(real().MPI_Startall, count, requests);
  return start_all(Call::MPI_Startall, all);
}

}  // namespace morgana::mpi::emulated
