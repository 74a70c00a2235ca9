#pragma once

#include <mpi.h>

#include <string_view>

namespace morgana::mpi {

/// To be called for an error that has been announced: ends this rank, with MPICH's exit code, if the handler
/// of the communicator (or window) is MPI_ERRORS_ARE_FATAL. Else MPICH may call the handler.
void end_if_fatal(MPI_Comm comm, int code);
void end_if_window_fatal(MPI_Win window, int code);

/// While it lives, an error handler of MPI's is being called: should it end the run, this rank and this error
/// are why. (MPICH then has all ranks killed, often the culprit first.)
class AnnouncedError {
 public:
  /// @param code  of MPI's; MPI_SUCCESS: nothing is announced
  /// @param function  of MPICH in which it came up (internal_Send, say), null if it is not known
  explicit AnnouncedError(int code, const char* function = nullptr);
  /// @param call  of the program's, "MPI_Bcast"
  /// @param why  more than the error's class says
  AnnouncedError(int code, std::string_view call, std::string_view why);
  ~AnnouncedError();
  AnnouncedError(const AnnouncedError&) = delete;
  AnnouncedError& operator=(const AnnouncedError&) = delete;

 private:
  bool announced_;
};

}  // namespace morgana::mpi
