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
  Form(Call call, MPI_Request* request) : call_(call), kind_(Kind::nonblocking), request_(request) {}
  /// MPI_X_init
  Form(Call call, MPI_Info info, MPI_Request* request)
      : call_(call), kind_(Kind::persistent), request_(request), info_(info) {}

  Call call() const { return call_; }
  bool is_blocking() const { return kind_ == Kind::blocking; }
  bool is_persistent() const { return kind_ == Kind::persistent; }
  /// Where the program wants its request; null for a blocking form.
  MPI_Request* request() const { return request_; }
  /// The program has named no place for its request.
  bool lacks_request() const { return !is_blocking() && request_ == nullptr; }

  /// Calls that of three functions which has this form: with the arguments that all of them have, and then
  /// with those that only some have.
  template <typename Blocking, typename Nonblocking, typename Persistent, typename... Arguments>
  int apply(Blocking blocking, Nonblocking nonblocking, Persistent persistent, Arguments... arguments) const {
    if (is_blocking()) return blocking(arguments...);
    return is_persistent() ? persistent(arguments..., info_, request_) : nonblocking(arguments..., request_);
  }

 private:
  enum class Kind { blocking, nonblocking, persistent };

  Call call_;
  Kind kind_ = Kind::blocking;
  MPI_Request* request_ = nullptr;
  MPI_Info info_ = MPI_INFO_NULL;
};

}  // namespace morgana::mpi
