#include "pvmshim/mpi/emulated/arguments.h"

#include "pvmshim/mpi/emulated/emulated_rank.h"
#include "pvmshim/mpi/real_mpi.h"
#include "pvmshim/mpi/refusal.h"

namespace morgana::mpi::emulated {

std::shared_ptr<const Communicator> communicator(MPI_Comm comm, std::string_view call) {
  auto found = me().communicators.find(comm);
  if (found == nullptr && comm != MPI_COMM_NULL) refuse(call, "on a communicator of unknown origin");
  return found;
}

std::shared_ptr<const Communicator> intracommunicator(MPI_Comm comm, std::string_view call) {
  auto found = communicator(comm, call);
  if (found != nullptr && found->is_inter()) refuse(call, "on an intercommunicator");
  return found;
}

bool is_data(MPI_Count count, MPI_Datatype type) {
  return count >= 0 && type != MPI_DATATYPE_NULL;
}

bool is_data(const Blocks& blocks, int number) {
  for (int i = 0; i < number; ++i)
    if (!is_data(blocks.count(i), blocks.type_of(i))) return false;
  return true;
}

bool is_data(const Blocks& blocks, const Communicator& comm) {
  return is_data(blocks, comm.size());
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

int raise(const Communicator& comm, int error) {
  const bool still_there = me().communicators.find(comm.handle()).get() == &comm;
  real().MPI_Comm_call_errhandler(still_there ? comm.handle() : MPI_COMM_WORLD, error);
  return error;
}

}  // namespace morgana::mpi::emulated
