#pragma once

#include <mpi.h>

#include "emulator/operations/call.h"

namespace morgana::mpi {

/// How the program calls a collective: so that it waits for it, so that it gets a request to wait for, or so
/// that it gets a request to start it by, again and again.
class Form {
 public:
  /// MPI_X
  explicit Form(Call call) : call_(call) {}
  /// MPI_Ix
  Form(Call call, MPI_Request* request) : call_(call), request_(request) {}
  /// MPI_X_init
  Form(Call call, MPI_Info info, MPI_Request* request)
      : call_(call), request_(request), info_(info), persistent_(true) {}

  Call call() const { return call_; }
  bool is_blocking() const { return request_ == nullptr; }
  bool is_persistent() const { return persistent_; }
  /// Where the program wants its request; null for a blocking form.
  MPI_Request* request() const { return request_; }

  /// Calls that of three functions which has this form: with the arguments that all of them have, and then
  /// with those that only some have.
  template <typename Blocking, typename Nonblocking, typename Persistent, typename... Arguments>
  int apply(Blocking blocking, Nonblocking nonblocking, Persistent persistent, Arguments... arguments) const {
    if (is_blocking()) return blocking(arguments...);
    return persistent_ ? persistent(arguments..., info_, request_) : nonblocking(arguments..., request_);
  }

 private:
  Call call_;
  MPI_Request* request_ = nullptr;
  MPI_Info info_ = MPI_INFO_NULL;
  bool persistent_ = false;
};

}  // namespace morgana::mpi
