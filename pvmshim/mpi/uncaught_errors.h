#pragma once

#include <mpi.h>

#include <array>
#include <string>
#include <string_view>

namespace morgana::mpi {

/// The program gives an object this error handler. Until it has given any another one than
/// MPI_ERRORS_ARE_FATAL, no error is caught.
void note_error_handler(MPI_Errhandler handler);

/// While it lives, errors that belong to no communicator are returned to this thread.
class ErrorsReturn {
 public:
  ErrorsReturn();
  ~ErrorsReturn();
  ErrorsReturn(const ErrorsReturn&) = delete;
  ErrorsReturn& operator=(const ErrorsReturn&) = delete;

 private:
  std::array<MPI_Comm, 2> asked_{MPI_COMM_WORLD, MPI_COMM_SELF};
  std::array<MPI_Errhandler, 2> handlers_{};
};

/// Hands an error that has been announced to the handler of the communicator (or window), as MPICH does:
/// where the program has set none, that is the one which MPI_COMM_WORLD has by now. If the handler is
/// MPI_ERRORS_ARE_FATAL it ends this rank, with MPICH's exit code.
/// @param code  an error class
void call_handler_of(MPI_Comm comm, int code);
void call_handler_of_window(MPI_Win window, int code);

/// While it lives, MPICH carries out a call of the program of which it says too little when what has come is
/// longer than its capacity (MPI_ERR_TRUNCATE, also of single requests of a list). Calls come one at a time.
class ErrorDetail {
 public:
  ErrorDetail();
  virtual ~ErrorDetail();
  ErrorDetail(const ErrorDetail&) = delete;
  ErrorDetail& operator=(const ErrorDetail&) = delete;
  /// Asked when MPICH has filled in the call's statuses. Empty if nothing is known.
  /// @param of_list  MPI_ERR_IN_STATUS: each status has an error of its own
  virtual std::string why(bool of_list) const = 0;

 private:
  const ErrorDetail* around_;  ///< of a call that this one is made in, by a callback of the program's
};

/// While it lives, an error handler of MPI's is being called: should it end the run, this rank and this error
/// are why. (MPICH then has all ranks killed, often the culprit first.)
class AnnouncedError {
 public:
  /// @param code  of MPI's; MPI_SUCCESS: nothing is announced
  /// @param function  of MPICH in which it came up (such as internal_Send), null if it is not known
  AnnouncedError(int code, const char* function);
  /// @param call  of the program's, "MPI_Bcast"
  /// @param why  more than the error's class says; empty: no more is known
  AnnouncedError(int code, std::string_view call, std::string_view why);
  ~AnnouncedError();
  AnnouncedError(const AnnouncedError&) = delete;
  AnnouncedError& operator=(const AnnouncedError&) = delete;

 private:
  bool announced_;
};

}  // namespace morgana::mpi
