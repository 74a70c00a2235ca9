// ranks: 3
// refused: MPI_Session_init
// The sessions of MPI 4 beside the world: process sets, groups and a communicator made of one.
#include "conformance.h"

CASE(communicator_from_a_session) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm comm;
  int sum = -1, rank = -1, sets = 0;
  CHECK_OK(MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session));
  CHECK_OK(MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets));
  CHECK(sets >= 2);
  CHECK_OK(MPI_Group_from_session_pset(session, "mpi://WORLD", &group));
  CHECK_OK(MPI_Comm_create_from_group(group, "conformance", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm));
  MPI_Comm_rank(comm, &rank);
  CHECK_INT(world_rank, rank);
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, comm);
  CHECK_INT(3, sum);
  MPI_Comm_free(&comm);
  MPI_Group_free(&group);
  CHECK_OK(MPI_Session_finalize(&session));
}
