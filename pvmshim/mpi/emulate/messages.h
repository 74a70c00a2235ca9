#pragma once

#include <mpi.h>

#include <span>

#include "emulator/operations/operation.h"
#include "pvmshim/mpi/communicators.h"

namespace morgana::mpi::emulated {

// What sends and receives are given, and the operations that they post. All within a visit.

struct Outgoing {
  const void* buffer;
  MPI_Count count;
  MPI_Datatype type;
  int dest, tag;

  bool valid_on(const Communicator& comm) const;
};

struct Incoming {
  void* buffer;
  MPI_Count count;
  MPI_Datatype type;
  int source, tag;

  bool valid_on(const Communicator& comm) const;
};

/// A call, or part of one, that moves nothing.
void post_plain(Call call, CallPart part = CallPart::whole);
/// Copies the data: the program may change them at once.
void post_send(Call call, CallPart part, SendMode mode, const Communicator& comm, const Outgoing& message,
               RequestId request);
/// @param taken  the message that a probe has set aside under that name, if any
void post_receive(Call call, CallPart part, const Communicator& comm, const Incoming& message,
                  RequestId request, RequestId taken = no_request);
/// Whether a send's end is waited for in real time too: a synchronous one says that the receive has begun;
/// large ones would fill the memory if their sender ran ahead of them; and the program may want to know of
/// errors.
bool must_await(SendMode mode, const Outgoing& message);
/// Whether there is no space for a buffered send.
bool lacks_buffer(SendMode mode, const Outgoing& message);
/// The end of a blocking send. @param awaited  must_await()
int finish_send(Call call, const Communicator& comm, RequestId request, bool awaited);

/// Waits for the message of a blocking call, the first of `requests`, and for its send if there is one.
/// @param sends_and_awaits  there is, and must_await() says so
int finish_blocking(Call call, const Communicator& comm, std::span<const RequestId> requests,
                    const Incoming& message, MPI_Status* status, bool sends_and_awaits = false);

}  // namespace morgana::mpi::emulated
