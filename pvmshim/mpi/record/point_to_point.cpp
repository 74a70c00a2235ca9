// Sends, receives and probes over MPICH, recorded.

#include <boost/container/small_vector.hpp>

#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/record/timed_call.h"
#include "pvmshim/mpi/record/truncation.h"
#include "pvmshim/mpi/statuses.h"

namespace morgana::mpi::captured {
namespace {

using RealSend = decltype(&MPI_Send_c);
using RealIsend = decltype(&MPI_Isend_c);

Completed sent(RequestId request) {
  Completed completed;
  completed.request = request;
  return completed;
}

/// Writes a blocking send or a call that moved nothing.
int send(Call call, RealSend real_call, SendMode mode, const void* buffer, MPI_Count count, MPI_Datatype type,
         int dest, int tag, MPI_Comm handle) {
  TimedCall timed;
  const int result = real_call(buffer, count, type, dest, tag, handle);
  timed.ended();
  const auto& comm = recorder().communicators().find(handle);
  if (result != MPI_SUCCESS || comm == nullptr || dest == MPI_PROC_NULL) {
    timed.write_plain(call);
    return result;
  }
  const RequestId request = recorder().next_id();
  timed.write_start(
      send_operation(call, CallPart::first, mode, *comm, dest, tag, content_of(count, type), request));
  const Completed completed = sent(request);
  timed.write_wait(call, {&request, 1}, {&completed, 1});
  return result;
}

int isend(Call call, RealIsend real_call, SendMode mode, const void* buffer, MPI_Count count,
          MPI_Datatype type, int dest, int tag, MPI_Comm handle, MPI_Request* request) {
  TimedCall timed;
  const int result = real_call(buffer, count, type, dest, tag, handle, request);
  timed.ended();
  const auto& comm = recorder().communicators().find(handle);
  if (result != MPI_SUCCESS || comm == nullptr || dest == MPI_PROC_NULL) {
    timed.write_plain(call);
    return result;
  }
  const RequestId id = recorder().next_id();
  recorder().add(*request, {id, false, comm});
  timed.write(send_operation(call, CallPart::whole, mode, *comm, dest, tag, content_of(count, type), id));
  return result;
}

/// The status that the program wants, or one of ours for what it does not want to know.
class WantedStatus {
 public:
  explicit WantedStatus(MPI_Status* wanted) : status_(wanted == MPI_STATUS_IGNORE ? &own_ : wanted) {}
  MPI_Status* get() const { return status_; }

 private:
  MPI_Status own_{};
  MPI_Status* status_;
};

bool received(int result) {
  return result == MPI_SUCCESS;
}

}  // namespace

int Send(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return send(Call::MPI_Send, real().MPI_Send_c, SendMode::standard, buffer, count, type, dest, tag, comm);
}

int Bsend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return send(Call::MPI_Bsend, real().MPI_Bsend_c, SendMode::buffered, buffer, count, type, dest, tag, comm);
}

int Ssend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return send(Call::MPI_Ssend, real().MPI_Ssend_c, SendMode::synchronous, buffer, count, type, dest, tag,
              comm);
}

int Rsend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return send(Call::MPI_Rsend, real().MPI_Rsend_c, SendMode::ready, buffer, count, type, dest, tag, comm);
}

int Isend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
          MPI_Request* request) {
  return isend(Call::MPI_Isend, real().MPI_Isend_c, SendMode::standard, buffer, count, type, dest, tag, comm,
               request);
}

int Ibsend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
           MPI_Request* request) {
  return isend(Call::MPI_Ibsend, real().MPI_Ibsend_c, SendMode::buffered, buffer, count, type, dest, tag,
               comm, request);
}

int Issend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
           MPI_Request* request) {
  return isend(Call::MPI_Issend, real().MPI_Issend_c, SendMode::synchronous, buffer, count, type, dest, tag,
               comm, request);
}

int Irsend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
           MPI_Request* request) {
  return isend(Call::MPI_Irsend, real().MPI_Irsend_c, SendMode::ready, buffer, count, type, dest, tag, comm,
               request);
}

int Recv(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm handle,
         MPI_Status* wanted) {
  const WantedStatus status(wanted);
  const BlockingReceive detail(*status.get(), count, type, handle);
  TimedCall timed;
  const int result = real().MPI_Recv_c(buffer, count, type, source, tag, handle, status.get());
  timed.ended();
  const auto& comm = recorder().communicators().find(handle);
  if (!received(result) || comm == nullptr || source == MPI_PROC_NULL) {
    timed.write_plain(Call::MPI_Recv);
    return result;
  }
  const RequestId request = recorder().next_id();
  timed.write_start(receive_operation(Call::MPI_Recv, CallPart::first, *comm, source, tag,
                                      packed_size(count, type), request));
  const Completed completed = completed_of(*status.get(), *comm, request);
  timed.write_wait(Call::MPI_Recv, {&request, 1}, {&completed, 1});
  return result;
}

int Irecv(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm handle,
          MPI_Request* request) {
  TimedCall timed;
  const int result = real().MPI_Irecv_c(buffer, count, type, source, tag, handle, request);
  timed.ended();
  const auto& comm = recorder().communicators().find(handle);
  if (result != MPI_SUCCESS || comm == nullptr || source == MPI_PROC_NULL) {
    timed.write_plain(Call::MPI_Irecv);
    return result;
  }
  const RequestId id = recorder().next_id();
  const Bytes room = packed_size(count, type);
  recorder().add(*request, {id, true, comm, no_request, nullptr, nullptr, room});
  timed.write(receive_operation(Call::MPI_Irecv, CallPart::whole, *comm, source, tag, room, id));
  return result;
}

namespace {

/// Writes a call that both sends and receives; either may go nowhere.
void write_exchange(const TimedCall& timed, Call call, const Communicator& comm, const Content& sent_data,
                    int dest, int send_tag, Bytes room, int source, int receive_tag,
                    const MPI_Status& status) {
  boost::container::small_vector<RequestId, 2> requests;
  boost::container::small_vector<Completed, 2> completed;
  CallPart part = CallPart::first;
  if (source != MPI_PROC_NULL) {
    const RequestId request = requests.emplace_back(recorder().next_id());
    timed.write_start(receive_operation(call, part, comm, source, receive_tag, room, request));
    completed.push_back(completed_of(status, comm, request));
    part = CallPart::middle;
  }
  if (dest != MPI_PROC_NULL) {
    const RequestId request = requests.emplace_back(recorder().next_id());
    timed.write_start(
        send_operation(call, part, SendMode::standard, comm, dest, send_tag, sent_data, request));
    completed.push_back(sent(request));
  }
  if (requests.empty())
    timed.write_plain(call);
  else
    timed.write_wait(call, {requests.data(), requests.size()}, {completed.data(), completed.size()});
}

}  // namespace

int Sendrecv(const void* out, MPI_Count send_count, MPI_Datatype send_type, int dest, int send_tag, void* in,
             MPI_Count receive_count, MPI_Datatype receive_type, int source, int receive_tag, MPI_Comm handle,
             MPI_Status* wanted) {
  const WantedStatus status(wanted);
  const BlockingReceive detail(*status.get(), receive_count, receive_type, handle);
  TimedCall timed;
  const int result = real().MPI_Sendrecv_c(out, send_count, send_type, dest, send_tag, in, receive_count,
                                           receive_type, source, receive_tag, handle, status.get());
  timed.ended();
  const auto& comm = recorder().communicators().find(handle);
  if (!received(result) || comm == nullptr)
    timed.write_plain(Call::MPI_Sendrecv);
  else
    write_exchange(timed, Call::MPI_Sendrecv, *comm, content_of(send_count, send_type), dest, send_tag,
                   packed_size(receive_count, receive_type), source, receive_tag, *status.get());
  return result;
}

int Sendrecv_replace(void* buffer, MPI_Count count, MPI_Datatype type, int dest, int send_tag, int source,
                     int receive_tag, MPI_Comm handle, MPI_Status* wanted) {
  const WantedStatus status(wanted);
  const BlockingReceive detail(*status.get(), count, type, handle);
  TimedCall timed;
  const int result = real().MPI_Sendrecv_replace_c(buffer, count, type, dest, send_tag, source, receive_tag,
                                                   handle, status.get());
  timed.ended();
  const auto& comm = recorder().communicators().find(handle);
  if (!received(result) || comm == nullptr) {
    timed.write_plain(Call::MPI_Sendrecv_replace);
  } else {
    const Content content = content_of(count, type);
    write_exchange(timed, Call::MPI_Sendrecv_replace, *comm, content, dest, send_tag, content.bytes, source,
                   receive_tag, *status.get());
  }
  return result;
}

int Probe(int source, int tag, MPI_Comm handle, MPI_Status* wanted) {
  const WantedStatus status(wanted);
  TimedCall timed;
  const int result = real().MPI_Probe(source, tag, handle, status.get());
  timed.ended();
  const auto& comm = recorder().communicators().find(handle);
  if (result != MPI_SUCCESS || comm == nullptr || source == MPI_PROC_NULL) {
    timed.write_plain(Call::MPI_Probe);
    return result;
  }
  const Completed found = completed_of(*status.get(), *comm, no_request);
  timed.write(probe_operation(OperationKind::probe, Call::MPI_Probe, *comm, source, tag), {&found, 1});
  return result;
}

int Iprobe(int source, int tag, MPI_Comm handle, int* flag, MPI_Status* wanted) {
  const WantedStatus status(wanted);
  TimedCall timed;
  const int result = real().MPI_Iprobe(source, tag, handle, flag, status.get());
  timed.ended();
  const auto& comm = recorder().communicators().find(handle);
  if (result != MPI_SUCCESS || comm == nullptr || source == MPI_PROC_NULL) {
    timed.write_plain(Call::MPI_Iprobe);
    return result;
  }
  const Operation probe = probe_operation(OperationKind::test_probe, Call::MPI_Iprobe, *comm, source, tag);
  if (*flag == 0) {
    timed.write(probe);
  } else {
    const Completed found = completed_of(*status.get(), *comm, no_request);
    timed.write(probe, {&found, 1});
  }
  return result;
}

}  // namespace morgana::mpi::captured
