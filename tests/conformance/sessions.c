// ranks: 3
// needs MPI 4
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

CASE(process_sets_have_names) {
  MPI_Session session;
  int sets = 0, world = 0, self = 0;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Session_get_num_psets(session, MPI_INFO_NULL, &sets);
  for (int i = 0; i < sets; ++i) {
    char name[MPI_MAX_OBJECT_NAME] = "";
    int length = MPI_MAX_OBJECT_NAME;
    CHECK_OK(MPI_Session_get_nth_pset(session, MPI_INFO_NULL, i, &length, name));
    if (strcmp(name, "mpi://WORLD") == 0) ++world;
    if (strcmp(name, "mpi://SELF") == 0) ++self;
  }
  CHECK_INT(1, world);
  CHECK_INT(1, self);
  MPI_Session_finalize(&session);
}

CASE(communicators_of_two_tags_are_two) {
  MPI_Session session;
  MPI_Group group;
  MPI_Comm one, two;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &group);
  MPI_Comm_create_from_group(group, "one", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &one);
  MPI_Comm_create_from_group(group, "two", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &two);
  const int right = (world_rank + 1) % world_size, left = (world_rank + world_size - 1) % world_size;
  int sent[2] = {10 + world_rank, 20 + world_rank}, got[2] = {-1, -1};
  MPI_Request requests[4];
  MPI_Irecv(&got[1], 1, MPI_INT, left, 0, two, &requests[0]);
  MPI_Irecv(&got[0], 1, MPI_INT, left, 0, one, &requests[1]);
  MPI_Isend(&sent[0], 1, MPI_INT, right, 0, one, &requests[2]);
  MPI_Isend(&sent[1], 1, MPI_INT, right, 0, two, &requests[3]);
  MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
  CHECK_INT(10 + left, got[0]);
  CHECK_INT(20 + left, got[1]);
  MPI_Comm_free(&one);
  MPI_Comm_free(&two);
  MPI_Group_free(&group);
  MPI_Session_finalize(&session);
}

CASE(a_group_of_some) {
  MPI_Session session;
  MPI_Group all, some;
  const int members[2] = {2, 0};
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Group_incl(all, 2, members, &some);
  if (world_rank != 1) {
    MPI_Comm comm;
    int rank = -1, value = world_rank;
    MPI_Comm_create_from_group(some, "some", MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &comm);
    MPI_Comm_rank(comm, &rank);
    CHECK_INT(world_rank == 2 ? 0 : 1, rank);
    MPI_Bcast(&value, 1, MPI_INT, 0, comm);
    CHECK_INT(2, value);
    MPI_Comm_free(&comm);
  }
  MPI_Group_free(&some);
  MPI_Group_free(&all);
  MPI_Session_finalize(&session);
}

CASE(intercommunicator_from_groups) {
  MPI_Session session;
  MPI_Group all, local, remote;
  MPI_Comm inter;
  const int alone[1] = {0}, others[2] = {1, 2};
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_ARE_FATAL, &session);
  MPI_Group_from_session_pset(session, "mpi://WORLD", &all);
  MPI_Group_incl(all, world_rank == 0 ? 1 : 2, world_rank == 0 ? alone : others, &local);
  MPI_Group_incl(all, world_rank == 0 ? 2 : 1, world_rank == 0 ? others : alone, &remote);
  CHECK_OK(MPI_Intercomm_create_from_groups(local, 0, remote, 0, "between", MPI_INFO_NULL,
                                            MPI_ERRORS_ARE_FATAL, &inter));
  int size = -1, sum = -1;
  MPI_Comm_remote_size(inter, &size);
  CHECK_INT(world_rank == 0 ? 2 : 1, size);
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, inter);
  CHECK_INT(world_rank == 0 ? 3 : 0, sum);
  MPI_Comm_free(&inter);
  MPI_Group_free(&local);
  MPI_Group_free(&remote);
  MPI_Group_free(&all);
  MPI_Session_finalize(&session);
}

CASE(sessions_hide_nothing_of_the_world) {
  MPI_Session session;
  int initialized = 0, finalized = 1, sum = -1;
  MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, &session);
  MPI_Initialized(&initialized);
  MPI_Finalized(&finalized);
  CHECK_INT(1, initialized);
  CHECK_INT(0, finalized);
  MPI_Session_finalize(&session);
  MPI_Allreduce(&world_rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  CHECK_INT(3, sum);
}
