// The beginning and the end of a recorded rank.

#include <cstdlib>

#include "pvmshim/channel/capture_log.h"
#include "pvmshim/mpi/captured/timed_call.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/mode.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi::captured {
namespace {

void start(Call call) {
  become(*new Recorder(std::getenv(CaptureLogWriter::folder_variable)));
  set_running(true);
  const SimTime zero;
  recorder().write(plain_operation(OperationKind::nothing, call, CallPart::first), zero, zero);
  const Communicator& self = *recorder().communicators().find(MPI_COMM_SELF);
  recorder().write(context_operation(call, CallPart::last, self), zero, zero);
}

}  // namespace

int Init(int* argc, char*** argv) {
  const int result = real().MPI_Init(argc, argv);
  if (result == MPI_SUCCESS) start(Call::MPI_Init);
  return result;
}

int Init_thread(int* argc, char*** argv, int required, int* provided) {
  // One thread at a time writes the recording.
  const int allowed = required < MPI_THREAD_SERIALIZED ? required : MPI_THREAD_SERIALIZED;
  const int result = real().MPI_Init_thread(argc, argv, allowed, provided);
  if (result == MPI_SUCCESS) start(Call::MPI_Init_thread);
  return result;
}

int Abort(MPI_Comm comm, int code) {
  int rank = 0;
  real().MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  note_abort(std::getenv(CaptureLogWriter::folder_variable), Rank{rank}, code);
  return real().MPI_Abort(comm, code);
}

int Finalize() {
  TimedCall timed;
  timed.ended();
  timed.write(plain_operation(OperationKind::exit, Call::MPI_Finalize));
  recorder().close();
  set_running(false);
  return real().MPI_Finalize();
}

double Wtime() {
  return real().MPI_Wtime();
}

double Wtick() {
  return real().MPI_Wtick();
}

}  // namespace morgana::mpi::captured
