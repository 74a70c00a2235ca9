/* A call of each kind that SMPI's time-independent traces know, and point-to-point messages in all ways. Recorded by
   SimGrid 3.32:
     smpicc -O1 calls.c -o calls
     smpirun -np 4 -platform cluster.xml -hostfile hosts --cfg=smpi/host-speed:1Gf -trace-ti \
       --cfg=tracing/filename:calls.ti ./calls
   (four hosts of 1 Gf; the files of the ranks were renamed). */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int r, n, done;
  MPI_Comm_rank(MPI_COMM_WORLD, &r);
  MPI_Comm_size(MPI_COMM_WORLD, &n);
  double *a = calloc(800 * n, 8), *b = calloc(800 * n, 8);
  int grows[16], from[16], alike[16], evenly[16];
  for (int i = 0; i < n; i++) {
    grows[i] = 10 + i;
    from[i] = i ? from[i - 1] + grows[i - 1] : 0;
  }
  for (int i = 0; i < n; i++) {
    alike[i] = grows[r];
    evenly[i] = i * grows[r];
  }
  const int before = (r + n - 1) % n, behind = (r + 1) % n;
  volatile double x = 1;
  for (int i = 0; i < 20000000; i++) x = x * 1.0000001 + 1;
  if (r == 0) MPI_Send(a, 100, MPI_INT, 1, 7, MPI_COMM_WORLD);
  if (r == 1) MPI_Recv(a, 200, MPI_INT, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Request q[2];
  MPI_Irecv(a, 50, MPI_CHAR, before, 3, MPI_COMM_WORLD, &q[0]);
  MPI_Isend(b, 50, MPI_CHAR, behind, 3, MPI_COMM_WORLD, &q[1]);
  MPI_Wait(&q[0], MPI_STATUS_IGNORE);
  MPI_Wait(&q[1], MPI_STATUS_IGNORE);
  MPI_Irecv(a, 50, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &q[0]);
  MPI_Isend(b, 40, MPI_DOUBLE, behind, 4, MPI_COMM_WORLD, &q[1]);
  MPI_Waitall(2, q, MPI_STATUSES_IGNORE);
  MPI_Sendrecv(a, 5, MPI_FLOAT, behind, 9, b, 6, MPI_FLOAT, before, 9, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Irecv(a, 5, MPI_SHORT, behind, 11, MPI_COMM_WORLD, &q[0]);
  MPI_Test(&q[0], &done, MPI_STATUS_IGNORE);
  MPI_Send(b, 5, MPI_SHORT, before, 11, MPI_COMM_WORLD);
  if (!done) MPI_Wait(&q[0], MPI_STATUS_IGNORE);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Bcast(a, 10, MPI_LONG, 1, MPI_COMM_WORLD);
  MPI_Reduce(a, b, 10, MPI_DOUBLE, MPI_SUM, 1, MPI_COMM_WORLD);
  MPI_Allreduce(a, b, 11, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Alltoall(a, 3, MPI_INT, b, 3, MPI_INT, MPI_COMM_WORLD);
  MPI_Alltoallv(a, grows, from, MPI_BYTE, b, alike, evenly, MPI_BYTE, MPI_COMM_WORLD);
  MPI_Gather(a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, 2, MPI_COMM_WORLD);
  MPI_Gatherv(a, grows[r], MPI_INT, b, grows, from, MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Scatter(a, 4, MPI_DOUBLE, b, 4, MPI_DOUBLE, 2, MPI_COMM_WORLD);
  MPI_Scatterv(a, grows, from, MPI_INT, b, grows[r], MPI_INT, 1, MPI_COMM_WORLD);
  MPI_Allgather(a, 5, MPI_CHAR, b, 5, MPI_CHAR, MPI_COMM_WORLD);
  MPI_Allgatherv(a, grows[r], MPI_INT, b, grows, from, MPI_INT, MPI_COMM_WORLD);
  MPI_Reduce_scatter(a, b, grows, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Scan(a, b, 6, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Exscan(a, b, 6, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return 0;
}
