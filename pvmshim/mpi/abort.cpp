#include "pvmshim/mpi/abort.h"

#include <cstdio>
#include <cstdlib>
#include <string>

#include "pvmshim/mpi/communicator_names.h"
#include "pvmshim/mpi/real_mpi.h"

namespace morgana::mpi {
namespace {

std::string name_of(MPI_Comm comm) {
  if (std::string given = given_name(comm); !given.empty()) return given;
  char name[MPI_MAX_OBJECT_NAME] = "";
  std::snprintf(name, sizeof name, "comm=0x%X", static_cast<unsigned>(comm));
  return name;
}

/// What the rank has printed is written out. Its end, which was announced, ends all others.
[[noreturn]] void end_rank(int code) {
  std::exit((code & 0xff) == 0 ? EXIT_FAILURE : code);
}

}  // namespace

int abort_world(MPI_Comm comm, int code) {
  if (comm == MPI_COMM_WORLD) {
    // MPICH 4.2 returns where the world's errors are returned, and lets the program go on until mpiexec ends
    // it.
    real().MPI_Abort(comm, code);
    end_rank(code);
  }
  int rank = 0, world_rank = 0;
  // What is no communicator is an error, which MPICH deals with.
  if (real().MPI_Comm_rank(comm, &rank) != MPI_SUCCESS) return real().MPI_Abort(comm, code);
  real().MPI_Comm_rank(MPI_COMM_WORLD, &world_rank);
  const std::string name = name_of(comm);
  // In MPICH's words.
  std::fprintf(stderr,
               "Abort(%d) on node %d (rank %d in %s): application called MPI_Abort(%s, %d) - process %d\n",
               code, world_rank, rank, name.c_str(), name.c_str(), code, rank);
  end_rank(code);
}

}  // namespace morgana::mpi
