// The early and late receiver tests: two processes that compute and then communicate, rank 0 the ping, rank 1
// the pong of K.-P. Wong and C.-L. Wang, "Push-Pull Messaging", 1999, figure 7. With --x 500000 --y 100000
// the pong's receive is posted long before the message comes, with --x 100000 --y 300000 long after. Prints
// the ping's microseconds by size, its computing included.
#include <mpi.h>
#include <stdlib.h>

#include "measuring.h"

static const char* const usage =
    "usage: pushpull.receiver [--x NOPS] [--y NOPS] [--iterations N] [--sizes A,B,...] [--output FILE]";

// The paper's send returns once the message is registered and its first bytes are pushed; what is left is
// pulled while the sender computes. That is MPI_Isend, with its wait where the time is no longer taken.
static double ping(char* out, char* in, int bytes, const struct request* request) {
  MPI_Request sending;
  meet(0);
  const double begun = MPI_Wtime();
  compute(request->x);
  MPI_Isend(out, bytes, MPI_BYTE, 1, 3, MPI_COMM_WORLD, &sending);
  compute(request->y);
  MPI_Recv(in, bytes, MPI_BYTE, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  const double taken = MPI_Wtime() - begun;
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  return taken;
}

static double pong(char* out, char* in, int bytes, const struct request* request) {
  MPI_Request sending;
  meet(1);
  compute(request->y);
  MPI_Recv(in, bytes, MPI_BYTE, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  compute(request->x);
  MPI_Isend(out, bytes, MPI_BYTE, 0, 3, MPI_COMM_WORLD, &sending);
  MPI_Wait(&sending, MPI_STATUS_IGNORE);
  return 0;
}

int main(int argc, char** argv) {
  struct request request = {
      .iterations = 10, .sizes = {760, 1500, 3072}, .size_count = 3, .x = 500000, .y = 100000};
  const int rank = begin(argc, argv, usage, &request);
  static double us[most_sizes];
  char *out = page_aligned_buffer(&request), *in = page_aligned_buffer(&request);
  double* times = malloc((size_t)request.iterations * sizeof *times);
  for (int i = 0; i < request.size_count; ++i) {
    for (int k = 0; k < request.iterations; ++k)
      times[k] = (rank == 0 ? ping : pong)(out, in, request.sizes[i], &request);
    us[i] = 1e6 * middle_mean(times, request.iterations);
  }
  free(times);
  free(in);
  free(out);
  return end(rank, &request, "us", us);
}
