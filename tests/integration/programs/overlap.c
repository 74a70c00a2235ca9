// Nonblocking collectives beside messages, computing and polls: finished by waits and tests of every kind.
#include <unistd.h>

#include "check.h"

static int rank, ranks;

static int sum_of_ranks(void) {
  return ranks * (ranks - 1) / 2;
}

static void waited_for(void) {
  int mine = rank, sum = -1, told = rank == 0 ? 77 : -1, left = (rank + ranks - 1) % ranks, got = -1;
  MPI_Request collectives[2], messages[2];
  MPI_Iallreduce(&mine, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &collectives[0]);
  MPI_Ibcast(&told, 1, MPI_INT, 0, MPI_COMM_WORLD, &collectives[1]);
  MPI_Irecv(&got, 1, MPI_INT, left, 1, MPI_COMM_WORLD, &messages[0]);
  usleep(300);
  MPI_Issend(&mine, 1, MPI_INT, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &messages[1]);
  MPI_Waitall(2, messages, MPI_STATUSES_IGNORE);
  CHECK(got == left, "got %d instead of %d", got, left);
  usleep(100);
  MPI_Waitall(2, collectives, MPI_STATUSES_IGNORE);
  CHECK(sum == sum_of_ranks() && told == 77, "sum %d, told %d", sum, told);
}

static void tested_for(void) {
  int mine = rank + 1, sum = -1, all[64] = {0}, done = 0, index = -1;
  MPI_Request requests[2];
  MPI_Iallgather(&mine, 1, MPI_INT, all, 1, MPI_INT, MPI_COMM_WORLD, &requests[0]);
  MPI_Ireduce(&mine, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD, &requests[1]);
  for (int found = 0; found < 2; found += done) {
    MPI_Testany(2, requests, &index, &done, MPI_STATUS_IGNORE);
    if (index == MPI_UNDEFINED) done = 0;
    usleep(20);
  }
  for (int i = 0; i < ranks; ++i) CHECK(all[i] == i + 1, "element %d is %d", i, all[i]);
  CHECK(rank != 0 || sum == sum_of_ranks() + ranks, "sum %d", sum);
}

static void probed_beside(void) {
  int flag = 0, got = -1, left = (rank + ranks - 1) % ranks;
  MPI_Request barrier, send;
  MPI_Ibarrier(MPI_COMM_WORLD, &barrier);
  usleep(50 * (rank + 1));
  MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % ranks, 2, MPI_COMM_WORLD, &send);
  while (!flag) MPI_Iprobe(left, 2, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
  MPI_Recv(&got, 1, MPI_INT, left, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  CHECK(got == left, "got %d instead of %d", got, left);
  for (flag = 0; !flag;) MPI_Test(&barrier, &flag, MPI_STATUS_IGNORE);
  MPI_Wait(&send, MPI_STATUS_IGNORE);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  CHECK(ranks <= 64, "at most 64 ranks");
  for (int i = 0; i < 5; ++i) {
    waited_for();
    tested_for();
    probed_beside();
  }
  return verdict("overlap");
}
