// A send and a receive under one request.

#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/messages.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/statuses.h"

namespace morgana::mpi::emulated {
namespace {

void start_exchange(Call call, const std::shared_ptr<const Communicator>& comm, const Outgoing& out,
                    const Incoming& in, MPI_Request* handle) {
  const bool sends = out.dest != MPI_PROC_NULL, receives = in.source != MPI_PROC_NULL;
  Request& request = me().requests.add(*handle);
  request.comm = comm;
  if (receives) {
    request.buffer = in.buffer;
    request.count = in.count;
    request.keep_type(in.type);
    post_receive(call, sends ? CallPart::first : CallPart::whole, *comm, in, request.id);
  } else {
    set_from_nobody(request.status);
    request.has_come = true;
  }
  if (sends)
    post_send(call, receives ? CallPart::last : CallPart::whole, SendMode::standard, *comm, out,
              me().requests.add_companion(request));
  if (!sends && !receives) {
    request.done = true;
    post_plain(call);
  }
}

}  // namespace

int Isendrecv(const void* sent, MPI_Count send_count, MPI_Datatype send_type, int dest, int send_tag,
              void* received, MPI_Count receive_count, MPI_Datatype receive_type, int source, int receive_tag,
              MPI_Comm handle, MPI_Request* request) {
  const Outgoing out{sent, send_count, send_type, dest, send_tag};
  const Incoming in{received, receive_count, receive_type, source, receive_tag};
  const auto comm = communicator(handle, "MPI_Isendrecv");
  if (comm == nullptr || lacks_place(request) || !out.valid_on(*comm) || !in.valid_on(*comm))
    return error_of_mpich(real().MPI_Isendrecv_c, sent, send_count, send_type, dest, send_tag, received,
                          receive_count, receive_type, source, receive_tag, handle, request);
  const LiveRank::Visit visit(me().live);
  start_exchange(Call::MPI_Isendrecv, comm, out, in, request);
  return MPI_SUCCESS;
}

int Isendrecv_replace(void* buffer, MPI_Count count, MPI_Datatype type, int dest, int send_tag, int source,
                      int receive_tag, MPI_Comm handle, MPI_Request* request) {
  const Outgoing out{buffer, count, type, dest, send_tag};
  const Incoming in{buffer, count, type, source, receive_tag};
  const auto comm = communicator(handle, "MPI_Isendrecv_replace");
  if (comm == nullptr || lacks_place(request) || !out.valid_on(*comm) || !in.valid_on(*comm))
    return error_of_mpich(real().MPI_Isendrecv_replace_c, buffer, count, type, dest, send_tag, source,
                          receive_tag, handle, request);
  const LiveRank::Visit visit(me().live);
  start_exchange(Call::MPI_Isendrecv_replace, comm, out, in, request);
  return MPI_SUCCESS;
}

}  // namespace morgana::mpi::emulated
