#include "pvmshim/mpi/emulate/arguments.h"

#include <string>

#include "pvmshim/mpi/communicator_names.h"
#include "pvmshim/mpi/emulate/emulated_rank.h"
#include "pvmshim/mpi/packing.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/refusal.h"
#include "pvmshim/mpi/uncaught_errors.h"

namespace morgana::mpi::emulated {

namespace {

/// Whether it is one to MPICH: else it has been freed, or never been one.
bool is_communicator(MPI_Comm comm) {
  const ErrorsReturn returned;
  int size = 0;
  return real().MPI_Comm_size(comm, &size) == MPI_SUCCESS;
}

}  // namespace

std::shared_ptr<const Communicator> communicator(MPI_Comm comm, std::string_view call) {
  auto found = me().communicators.find(comm);
  if (found == nullptr && comm != MPI_COMM_NULL && is_communicator(comm))
    refuse(call, "on a communicator of unknown origin");
  return found;
}

std::shared_ptr<const Communicator> intracommunicator(MPI_Comm comm, std::string_view call) {
  auto found = communicator(comm, call);
  if (found != nullptr && found->is_inter()) refuse(call, "on an intercommunicator");
  return found;
}

std::shared_ptr<const Communicator> communicator(MPI_Comm comm, const Form& form) {
  return form.lacks_request() ? nullptr : communicator(comm, name_of(form.call()));
}

std::shared_ptr<const Communicator> intracommunicator(MPI_Comm comm, const Form& form) {
  return form.lacks_request() ? nullptr : intracommunicator(comm, name_of(form.call()));
}

bool is_message(const void* buffer, MPI_Count count, MPI_Datatype type) {
  if (count < 0) return false;
  if (is_plain(type) && (buffer != nullptr || count == 0)) return true;
  return real().MPI_Send_c(buffer, count, type, MPI_PROC_NULL, 0, me().scratch) == MPI_SUCCESS;
}

namespace {

/// Where nothing lies that matters: only its type is asked for.
constexpr char somewhere = 0;

}  // namespace

bool is_block(const void* buffer, MPI_Count count, MPI_Datatype type) {
  return is_message(buffer, count, type) && (count > 0 || is_message(&somewhere, 1, type));
}

bool are_blocks(const void* buffer, const ItemsByRank& blocks, int number) {
  if (blocks.types == nullptr && !is_message(&somewhere, 1, blocks.type)) return false;
  for (int i = 0; i < number; ++i)
    if (!is_message(blocks.places[i] == 0 ? buffer : &somewhere, blocks.count(i), blocks.type_of(i)))
      return false;
  return true;
}

bool is_member(const Communicator& comm, int member) {
  return member >= 0 && member < comm.size();
}

bool is_destination(const Communicator& comm, int dest, int tag) {
  return (is_member(comm, dest) || dest == MPI_PROC_NULL) && tag >= 0 && tag <= me().highest_tag;
}

bool is_origin(const Communicator& comm, int source, int tag) {
  return (is_member(comm, source) || source == MPI_PROC_NULL || source == MPI_ANY_SOURCE) &&
         ((tag >= 0 && tag <= me().highest_tag) || tag == MPI_ANY_TAG);
}

MPI_Comm make_scratch_communicator() {
  MPI_Comm made = MPI_COMM_NULL;
  real().MPI_Comm_dup(MPI_COMM_SELF, &made);
  real().MPI_Comm_set_errhandler(made, MPI_ERRORS_RETURN);
  return made;
}

namespace {

/// Freed by the program, it may still have operations in progress.
bool still_there(const Communicator& comm) {
  return me().communicators.find(comm.handle()).get() == &comm;
}

int call_handler(const Communicator& comm, int error) {
  call_handler_of(still_there(comm) ? comm.handle() : MPI_COMM_WORLD, error);
  return error;
}

}  // namespace

int raise(const Communicator& comm, int error, Call call, std::string_view why) {
  const std::string known =
      why.empty() ? std::string()
                  : std::string(why) + (still_there(comm) ? in_its_own_name(comm.handle()) : "");
  const AnnouncedError announced(error, name_of(call), known);
  return call_handler(comm, error);
}

}  // namespace morgana::mpi::emulated
