#pragma once

#include <mpi.h>

#include <boost/container/small_vector.hpp>
#include <memory>
#include <span>
#include <string>

#include "emulator/operations/operation.h"
#include "pvmshim/mpi/emulate/requests.h"

namespace morgana::mpi::emulated {

/// The array of requests of one completion call (MPI_Wait*, MPI_Test*). It mixes requests of ours (messages,
/// collectives, accesses to windows), foreign ones (MPICH's: file operations, generalised requests) and
/// MPI_REQUEST_NULL. A request is active unless it is null or an inactive persistent one. Positions are 0 to
/// size() - 1.
class RequestList {
 public:
  /// @param count  less than 0 counts as 0
  /// @param requests  the program's array, which the list refers to and take() changes
  RequestList(int count, MPI_Request* requests);

  /// Waits for, or tests, those requests of ours that are pending. The completed ones become done.
  /// @param call  the MPI call that the program made
  /// @param kind  wait or test
  /// @throws Error for a wait that can never end, because a partitioned send lacks partitions
  void settle(Call call, OperationKind kind, Completion completion);

  bool has_active() const { return active_ > 0; }
  bool has_foreign() const { return foreign_ > 0; }
  bool has_ours() const { return active_ > foreign_; }
  /// The position of our first request that is done; MPI_UNDEFINED if none is.
  int first_done() const;
  /// Whether all active requests of ours are done.
  bool all_done() const;

  bool is_active(int position) const;
  /// Whether it is ours and has completed, and the program has not been given its status yet.
  bool is_done(int position) const;
  bool is_foreign(int position) const {
    return is_active(position) && !RequestHandles::is_ours(request(position));
  }
  int size() const { return static_cast<int>(requests_.size()); }
  MPI_Request& request(int position) const { return requests_[static_cast<std::size_t>(position)]; }

  /// How a request has ended.
  struct Ended {
    int error;        ///< an MPI error code. The caller must pass it to the communicator's error handler
    Outcome outcome;  ///< other than `delivered`: the cause of the error
    std::shared_ptr<const Communicator> comm;
    std::string why;  ///< a sentence about a truncated message; else empty
  };
  /// Hands a request of ours that is done over to the program: fills in `status` and retires the request. Its
  /// handle becomes MPI_REQUEST_NULL, or stays if it is persistent.
  /// @param status  may be MPI_STATUS_IGNORE
  Ended take(int position, MPI_Status* status) const;

 private:
  /// Waits for the pending sends that the program has cancelled. @return whether there are any
  bool settle_cancelled_sends(Call call);

  std::span<MPI_Request> requests_;
  int active_ = 0, foreign_ = 0;
};

/// Marks the request of a completed operation as done. Copies a received message to the program's buffer.
void complete(const Completed& completed);

}  // namespace morgana::mpi::emulated
