// A send and a receive under one request over MPICH, recorded.

#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/record/timed_call.h"
#include "pvmshim/mpi/refusal.h"

namespace morgana::mpi::captured {
namespace {

struct Way {
  int peer, tag;
  Content content;
};

/// MPICH's status does not tell whom such a request received from, so wildcards can't be recorded.
bool is_receive_recorded(Call call, const Way& in) {
  if (in.peer == MPI_PROC_NULL) return false;
  if (in.peer != MPI_ANY_SOURCE && in.tag != MPI_ANY_TAG) return true;
  refuse_or_note(std::string(name_of(call)) + " with a wildcard");
  return false;
}

void write_exchange(const TimedCall& timed, Call call, int result, MPI_Comm handle, const Way& out,
                    const Way& in, MPI_Request request) {
  const auto& comm = recorder().communicators().find(handle);
  if (result != MPI_SUCCESS || comm == nullptr) {
    timed.write_plain(call);
    return;
  }
  const bool sends = out.peer != MPI_PROC_NULL, receives = is_receive_recorded(call, in);
  if (!sends && !receives) {
    timed.write_plain(call);
    return;
  }
  const RequestId id = recorder().next_id();
  const RequestId send_id = sends && receives ? recorder().next_id() : id;
  const auto send = [&](CallPart part) {
    return send_operation(call, part, SendMode::standard, *comm, out.peer, out.tag, out.content, send_id);
  };
  if (!receives) {
    recorder().add(request, {id, false, comm});
    timed.write(send(CallPart::whole));
    return;
  }
  Completed known;
  known.source = comm->world_rank(in.peer);
  known.tag = Tag{in.tag};
  known.bytes = in.content.bytes;
  recorder().add(request,
                 {id, true, comm, sends ? send_id : no_request, std::make_shared<const Completed>(known)});
  const CallPart part = sends ? CallPart::first : CallPart::whole;
  const Operation receive = receive_operation(call, part, *comm, in.peer, in.tag, in.content.bytes, id);
  if (!sends) {
    timed.write(receive);
    return;
  }
  timed.write_start(receive);
  timed.write(send(CallPart::last));
}

}  // namespace

int Isendrecv(const void* sent, MPI_Count send_count, MPI_Datatype send_type, int dest, int send_tag,
              void* received, MPI_Count receive_count, MPI_Datatype receive_type, int source, int receive_tag,
              MPI_Comm handle, MPI_Request* request) {
  TimedCall timed;
  const int result =
      real().MPI_Isendrecv_c(sent, send_count, send_type, dest, send_tag, received, receive_count,
                             receive_type, source, receive_tag, handle, request);
  timed.ended();
  write_exchange(timed, Call::MPI_Isendrecv, result, handle,
                 {dest, send_tag, content_of(send_count, send_type)},
                 {source, receive_tag, content_of(receive_count, receive_type)}, *request);
  return result;
}

int Isendrecv_replace(void* buffer, MPI_Count count, MPI_Datatype type, int dest, int send_tag, int source,
                      int receive_tag, MPI_Comm handle, MPI_Request* request) {
  TimedCall timed;
  const int result = real().MPI_Isendrecv_replace_c(buffer, count, type, dest, send_tag, source, receive_tag,
                                                    handle, request);
  timed.ended();
  const Content content = content_of(count, type);
  write_exchange(timed, Call::MPI_Isendrecv_replace, result, handle, {dest, send_tag, content},
                 {source, receive_tag, content}, *request);
  return result;
}

}  // namespace morgana::mpi::captured
