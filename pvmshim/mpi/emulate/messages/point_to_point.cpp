// Sends and receives. What they carry moves through payloads; their time is the emulator's.

#include <array>

#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/completion.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/messages.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/emulate/payloads.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/statuses.h"
#include "pvmshim/mpi/translate.h"

namespace morgana::mpi::emulated {
namespace {

using Visit = LiveRank::Visit;

/// The real calls of all modes are alike.
using RealSend = decltype(&MPI_Send_c);
using RealIsend = decltype(&MPI_Isend_c);

int send(Call call, RealSend real_call, SendMode mode, const Outgoing& message, MPI_Comm handle) {
  const auto comm = communicator(handle, name_of(call));
  if (comm == nullptr || !message.valid_on(*comm))
    return error_of_mpich(real_call, message.buffer, message.count, message.type, message.dest, message.tag,
                          handle);
  const Visit visit(me().live);
  if (lacks_buffer(mode, message)) return raise(*comm, MPI_ERR_BUFFER, call);
  if (message.dest == MPI_PROC_NULL) {
    post_plain(call);
    return MPI_SUCCESS;
  }
  const RequestId request = me().requests.next_id();
  post_send(call, CallPart::first, mode, *comm, message, request);
  return finish_send(call, *comm, request, must_await(mode, message));
}

int isend(Call call, RealIsend real_call, SendMode mode, const Outgoing& message, MPI_Comm handle,
          MPI_Request* request) {
  const auto comm = communicator(handle, name_of(call));
  if (comm == nullptr || lacks_place(request) || !message.valid_on(*comm))
    return error_of_mpich(real_call, message.buffer, message.count, message.type, message.dest, message.tag,
                          handle, request);
  const Visit visit(me().live);
  if (lacks_buffer(mode, message)) return raise(*comm, MPI_ERR_BUFFER, call);
  Request& sending = me().requests.add(*request);
  sending.is_send = true;
  sending.is_awaited = must_await(mode, message);
  sending.comm = comm;
  if (message.dest == MPI_PROC_NULL) {
    set_empty(sending.status);
    sending.done = true;
    post_plain(call);
  } else {
    post_send(call, CallPart::whole, mode, *comm, message, sending.id);
  }
  return MPI_SUCCESS;
}

int exchange(Call call, const Communicator& comm, const Outgoing& out, const Incoming& in,
             MPI_Status* status) {
  const bool sends = out.dest != MPI_PROC_NULL, receives = in.source != MPI_PROC_NULL;
  const std::array requests{me().requests.next_id(), me().requests.next_id()};
  if (!receives) {
    MPI_Status nobody{};
    set_from_nobody(nobody);
    give(nobody, status);
  }
  if (!sends && !receives) {
    post_plain(call);
    return MPI_SUCCESS;
  }
  if (receives) post_receive(call, CallPart::first, comm, in, requests[0]);
  if (sends)
    post_send(call, receives ? CallPart::middle : CallPart::first, SendMode::standard, comm, out,
              requests[1]);
  const bool awaits = sends && must_await(SendMode::standard, out);
  if (!receives) return finish_send(call, comm, requests[1], awaits);
  return finish_blocking(call, comm, std::span(requests).first(sends ? 2 : 1), in, status, awaits);
}

}  // namespace

int Send(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return send(Call::MPI_Send, real().MPI_Send_c, SendMode::standard, {buffer, count, type, dest, tag}, comm);
}

int Bsend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return send(Call::MPI_Bsend, real().MPI_Bsend_c, SendMode::buffered, {buffer, count, type, dest, tag},
              comm);
}

int Ssend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return send(Call::MPI_Ssend, real().MPI_Ssend_c, SendMode::synchronous, {buffer, count, type, dest, tag},
              comm);
}

int Rsend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm) {
  return send(Call::MPI_Rsend, real().MPI_Rsend_c, SendMode::ready, {buffer, count, type, dest, tag}, comm);
}

int Isend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
          MPI_Request* request) {
  return isend(Call::MPI_Isend, real().MPI_Isend_c, SendMode::standard, {buffer, count, type, dest, tag},
               comm, request);
}

int Ibsend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
           MPI_Request* request) {
  return isend(Call::MPI_Ibsend, real().MPI_Ibsend_c, SendMode::buffered, {buffer, count, type, dest, tag},
               comm, request);
}

int Issend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
           MPI_Request* request) {
  return isend(Call::MPI_Issend, real().MPI_Issend_c, SendMode::synchronous, {buffer, count, type, dest, tag},
               comm, request);
}

int Irsend(const void* buffer, MPI_Count count, MPI_Datatype type, int dest, int tag, MPI_Comm comm,
           MPI_Request* request) {
  return isend(Call::MPI_Irsend, real().MPI_Irsend_c, SendMode::ready, {buffer, count, type, dest, tag}, comm,
               request);
}

int Recv(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm handle,
         MPI_Status* status) {
  const Incoming message{buffer, count, type, source, tag};
  const auto comm = communicator(handle, "MPI_Recv");
  if (comm == nullptr || lacks_place(status) || !message.valid_on(*comm))
    return error_of_mpich(real().MPI_Recv_c, buffer, count, type, source, tag, handle, status);
  const Visit visit(me().live);
  if (source == MPI_PROC_NULL) {
    MPI_Status nobody{};
    set_from_nobody(nobody);
    give(nobody, status);
    post_plain(Call::MPI_Recv);
    return MPI_SUCCESS;
  }
  const RequestId request = me().requests.next_id();
  post_receive(Call::MPI_Recv, CallPart::first, *comm, message, request);
  return finish_blocking(Call::MPI_Recv, *comm, {&request, 1}, message, status);
}

int Irecv(void* buffer, MPI_Count count, MPI_Datatype type, int source, int tag, MPI_Comm handle,
          MPI_Request* request) {
  const Incoming message{buffer, count, type, source, tag};
  const auto comm = communicator(handle, "MPI_Irecv");
  if (comm == nullptr || lacks_place(request) || !message.valid_on(*comm))
    return error_of_mpich(real().MPI_Irecv_c, buffer, count, type, source, tag, handle, request);
  const Visit visit(me().live);
  Request& receiving = me().requests.add(*request);
  receiving.comm = comm;
  if (source == MPI_PROC_NULL) {
    set_from_nobody(receiving.status);
    receiving.done = true;
    post_plain(Call::MPI_Irecv);
    return MPI_SUCCESS;
  }
  receiving.buffer = buffer;
  receiving.count = count;
  receiving.keep_type(type);
  post_receive(Call::MPI_Irecv, CallPart::whole, *comm, message, receiving.id);
  return MPI_SUCCESS;
}

int Sendrecv(const void* sent, MPI_Count send_count, MPI_Datatype send_type, int dest, int send_tag,
             void* received, MPI_Count receive_count, MPI_Datatype receive_type, int source, int receive_tag,
             MPI_Comm handle, MPI_Status* status) {
  const Outgoing out{sent, send_count, send_type, dest, send_tag};
  const Incoming in{received, receive_count, receive_type, source, receive_tag};
  const auto comm = communicator(handle, "MPI_Sendrecv");
  if (comm == nullptr || lacks_place(status) || !out.valid_on(*comm) || !in.valid_on(*comm))
    return error_of_mpich(real().MPI_Sendrecv_c, sent, send_count, send_type, dest, send_tag, received,
                          receive_count, receive_type, source, receive_tag, handle, status);
  const Visit visit(me().live);
  return exchange(Call::MPI_Sendrecv, *comm, out, in, status);
}

int Sendrecv_replace(void* buffer, MPI_Count count, MPI_Datatype type, int dest, int send_tag, int source,
                     int receive_tag, MPI_Comm handle, MPI_Status* status) {
  const Outgoing out{buffer, count, type, dest, send_tag};
  const Incoming in{buffer, count, type, source, receive_tag};
  const auto comm = communicator(handle, "MPI_Sendrecv_replace");
  if (comm == nullptr || lacks_place(status) || !out.valid_on(*comm) || !in.valid_on(*comm))
    return error_of_mpich(real().MPI_Sendrecv_replace_c, buffer, count, type, dest, send_tag, source,
                          receive_tag, handle, status);
  const Visit visit(me().live);
  return exchange(Call::MPI_Sendrecv_replace, *comm, out, in, status);
}

}  // namespace morgana::mpi::emulated
