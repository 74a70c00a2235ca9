#pragma once

#include <mpi.h>

#include <boost/container/small_vector.hpp>
#include <memory>
#include <span>
#include <string>

#include "emulator/operations/operation.h"
#include "pvmshim/mpi/emulate/requests.h"

namespace morgana::mpi::emulated {

/// The requests that a completion call is given: ours, MPICH's (of file operations, generalised requests) and
/// null ones, in any mixture.
class RequestList {
 public:
  RequestList(int count, MPI_Request* requests);

  /// Waits for or tests ours that are still pending; those that complete become `done`.
  /// @param kind  wait or test
  void settle(Call call, OperationKind kind, Completion completion);

  bool has_active() const { return active_ > 0; }
  bool has_foreign() const { return foreign_ > 0; }
  bool has_ours() const { return active_ > foreign_; }
  /// The position of the first of ours that is done, or MPI_UNDEFINED.
  int first_done() const;
  bool all_done() const;

  /// False for persistent requests that are not started, too.
  bool is_active(int position) const;
  bool is_done(int position) const;
  bool is_foreign(int position) const {
    return is_active(position) && !RequestTable::is_ours(request(position));
  }
  int size() const { return static_cast<int>(requests_.size()); }
  MPI_Request& request(int position) const { return requests_[static_cast<std::size_t>(position)]; }

  /// How a request has ended.
  struct Ended {
    int error;        ///< of which its communicator's error handler has not heard
    Outcome outcome;  ///< if it is not `delivered`, the error is about that
    std::shared_ptr<const Communicator> comm;
    std::string why;  ///< of a truncated message; else empty
  };
  /// Tells the program of one of ours that is done, and forgets it.
  Ended take(int position, MPI_Status* status) const;

 private:
  /// Waits for those among them. @return whether there are any
  bool settle_cancelled_sends(Call call);

  std::span<MPI_Request> requests_;
  int active_ = 0, foreign_ = 0;
};

/// Notes that a request has completed and takes in what it brought.
void complete(const Completed& completed);

}  // namespace morgana::mpi::emulated
