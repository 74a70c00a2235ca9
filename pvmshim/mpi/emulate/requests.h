#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "emulator/operations/operation.h"
#include "pvmshim/mpi/communicators.h"

namespace morgana::mpi::emulated {

struct Request;

/// What a persistent request does each time that the program starts it.
class Startable {
 public:
  virtual ~Startable() = default;
  /// Within a visit: posts exactly one operation, as this part of `call`, for `request`, which has a new id.
  virtual void start(Call call, CallPart part, Request& request) = 0;
};

/// What takes in what a request other than a message's brings: a collective, an access to a window.
class CompletionHandler {
 public:
  virtual ~CompletionHandler() = default;
  virtual void complete(Request& request, const Completed& completed) = 0;
  /// The program frees the request, which is pending. @return whether it will be seen to without the request
  virtual bool abandon(const Request&) { return false; }
};

/// What the program has started and not yet completed; or a persistent request, started or not.
struct Request {
  RequestId id = no_request;
  /// Of a request for two messages (MPI_Isendrecv): the send, until it has completed.
  RequestId companion = no_request;
  bool has_come = false;  ///< its receive has completed
  bool in_use = false;
  bool is_send = false;
  bool is_awaited = false;    ///< a send whose end the program must wait for in real time, too
  bool is_cancelled = false;  ///< a send that the program has cancelled, whether that succeeds or not
  bool done = false;          ///< has completed, which the program does not know yet
  bool freed = false;         ///< an active receive that the program has freed: no call will complete it
  // Of a receive:
  void* buffer = nullptr;
  MPI_Count count = 0;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  bool owns_type = false;  ///< a duplicate: the program may free its own before the message comes
  std::shared_ptr<const Communicator> comm;
  std::shared_ptr<CompletionHandler> completion_handler;  ///< of other requests than messages'
  void keep_type(MPI_Datatype of_program);
  // Once done:
  MPI_Status status{};
  int error = MPI_SUCCESS;
  Outcome outcome = Outcome::delivered;  ///< else it is what the error is about
  // Of a persistent request:
  std::unique_ptr<Startable> startable;
  bool inactive = false;  ///< not started, or completed for the program, too: calls pass it over
  bool is_posted = true;  ///< false: a started partitioned send that waits for its partitions
};

bool is_predefined(MPI_Datatype type);

/// The requests of this rank, and their handles: 0x1nnnnnnn, which no handle of MPICH's is, so that both
/// kinds may meet in one MPI_Waitall.
class RequestHandles {
 public:
  static bool is_ours(MPI_Request handle) { return (static_cast<unsigned>(handle) >> 28) == 1; }

  /// An identity for a request that has no handle (of a blocking call).
  RequestId next_id() { return RequestId{++serial_ << slot_bits}; }

  /// Makes a request with a new id. References to requests stay valid.
  Request& add(MPI_Request& handle);
  /// Whether the handle is MPICH's, or names a request of ours that the program may still use.
  bool knows(MPI_Request handle) const;
  /// @throws Error for a handle of ours that names no request
  Request& at(MPI_Request handle);
  /// @throws Error if there is none
  Request& with_id(RequestId id);
  /// A companion's id for a request that is pending.
  RequestId add_companion(Request& request);
  /// The program has got its completion: ends it, or makes a persistent one inactive.
  /// @return the handle that the program then has
  MPI_Request retire(MPI_Request handle);
  /// Makes a persistent request active, with a new id.
  void activate(MPI_Request handle);
  void remove(MPI_Request handle);

  /// The program will not ask for it any more. A receive stays until its message has come.
  void free(MPI_Request handle);
  /// Receives that were freed before they completed.
  std::vector<MPI_Request>& freed() { return freed_; }
  RequestId freed_id(MPI_Request handle) { return slot_of(handle).id; }
  bool remove_if_done(MPI_Request handle);

 private:
  static constexpr unsigned slot_bits = 24;
  Request& slot(std::uint64_t number);
  Request& slot_of(MPI_Request handle);

  std::deque<Request> slots_;
  std::vector<std::uint64_t> unused_;
  std::vector<MPI_Request> freed_;
  std::uint64_t serial_ = 0;
};

}  // namespace morgana::mpi::emulated
