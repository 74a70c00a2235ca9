// Receives of messages that a probe has set aside.

#include "pvmshim/mpi/emulate/arguments.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/emulate/messages.h"
#include "pvmshim/mpi/emulate/mpich_traffic.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/statuses.h"

namespace morgana::mpi::emulated {
namespace {

/// Whether MPICH may say what is wrong with the call.
bool is_invalid(const void* buffer, MPI_Count count, MPI_Datatype type, MPI_Message message) {
  return !is_message(buffer, count, type) ||
         (message != MPI_MESSAGE_NO_PROC && !MatchedMessages::is_ours(message));
}

}  // namespace

int Mrecv(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Message* handle, MPI_Status* status) {
  const LiveRank::Visit visit(me().live);
  if (lacks_place(handle, status) || is_invalid(buffer, count, type, *handle))
    return error_of_mpich(real().MPI_Mrecv_c, buffer, count, type, handle, status);
  if (*handle == MPI_MESSAGE_NO_PROC) {
    *handle = MPI_MESSAGE_NULL;
    MPI_Status nobody{};
    set_from_nobody(nobody);
    give(nobody, status);
    post_plain(Call::MPI_Mrecv);
    return MPI_SUCCESS;
  }
  const MatchedMessage message = me().matched.take(*handle);
  *handle = MPI_MESSAGE_NULL;
  const RequestId request = me().requests.next_id();
  const Incoming in{buffer, count, type, message.source, message.tag};
  post_receive(Call::MPI_Mrecv, CallPart::first, *message.comm, in, request, message.taken);
  return finish_blocking(Call::MPI_Mrecv, *message.comm, {&request, 1}, in, status);
}

int Imrecv(void* buffer, MPI_Count count, MPI_Datatype type, MPI_Message* handle, MPI_Request* request) {
  const LiveRank::Visit visit(me().live);
  if (lacks_place(handle, request) || is_invalid(buffer, count, type, *handle))
    return error_of_mpich(real().MPI_Imrecv_c, buffer, count, type, handle, request);
  Request& receiving = me().requests.add(*request);
  if (*handle == MPI_MESSAGE_NO_PROC) {
    *handle = MPI_MESSAGE_NULL;
    receiving.comm = me().communicators.find(MPI_COMM_WORLD);
    set_from_nobody(receiving.status);
    receiving.done = true;
    post_plain(Call::MPI_Imrecv);
    return MPI_SUCCESS;
  }
  const MatchedMessage message = me().matched.take(*handle);
  *handle = MPI_MESSAGE_NULL;
  receiving.comm = message.comm;
  receiving.buffer = buffer;
  receiving.count = count;
  receiving.keep_type(type);
  post_receive(Call::MPI_Imrecv, CallPart::whole, *message.comm,
               {buffer, count, type, message.source, message.tag}, receiving.id, message.taken);
  return MPI_SUCCESS;
}

}  // namespace morgana::mpi::emulated
