// The beginning and the end of a recorded rank.

#include <cstdlib>

#include "pvmshim/channel/capture_log.h"
#include "pvmshim/mpi/abort.h"
#include "pvmshim/mpi/implementations.h"
#include "pvmshim/mpi/lifetime.h"
#include "pvmshim/mpi/mode.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/record/timed_call.h"
#include "pvmshim/mpi/self_attributes.h"
#include "pvmshim/mpi/told.h"

namespace morgana::mpi::captured {
namespace {

void start(Call call) {
  become(*new Recorder(told(CaptureLogWriter::folder_variable)));
  set_running(true);
  const SimTime zero;
  recorder().write(plain_operation(OperationKind::nothing, call, CallPart::first), zero, zero);
  const Communicator& self = *recorder().communicators().find(MPI_COMM_SELF);
  recorder().write(context_operation(call, CallPart::last, self), zero, zero);
}

void note(Call call) {
  TimedCall timed;
  timed.ended();
  timed.write_plain(call);
}

void end(Call call) {
  TimedCall timed;
  timed.ended();
  timed.write(plain_operation(OperationKind::exit, call));
  recorder().close();
}

constexpr RankEvents rank_events{&start, &note, &end};

}  // namespace

int Init(int* argc, char*** argv) {
  return begin_world(rank_events, Call::MPI_Init, argc, argv, nullptr, nullptr);
}

int Init_thread(int* argc, char*** argv, int required, int* provided) {
  return begin_world(rank_events, Call::MPI_Init_thread, argc, argv, &required, provided);
}

int Initialized(int* flag) {
  *flag = world_was_initialised() ? 1 : 0;
  return MPI_SUCCESS;
}

int Finalized(int* flag) {
  *flag = world_was_finalised() ? 1 : 0;
  return MPI_SUCCESS;
}

int Session_init(MPI_Info info, MPI_Errhandler handler, MPI_Session* session) {
  return begin_session(rank_events, info, handler, session);
}

int Session_get_info(MPI_Session session, MPI_Info* info) {
  return get_session_info(session, info);
}

int Session_finalize(MPI_Session* session) {
  return end_session(rank_events, session);
}

int Finalize() {
  return end_world(rank_events);
}

int Comm_set_attr(MPI_Comm comm, int keyval, void* value) {
  return set_attribute(comm, keyval, value);
}

int Comm_delete_attr(MPI_Comm comm, int keyval) {
  return delete_attribute(comm, keyval);
}

int Abort(MPI_Comm comm, int code) {
  int rank = 0;
  real().MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  announce_end(told(CaptureLogWriter::folder_variable), Rank{rank}, {code, ""});
  return abort_world(comm, code);
}

int Get_processor_name(char* name, int* length) {
  return real().MPI_Get_processor_name(name, length);
}

double Wtime() {
  return real().MPI_Wtime();
}

double Wtick() {
  return real().MPI_Wtick();
}

}  // namespace morgana::mpi::captured
