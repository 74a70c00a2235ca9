// The bandwidth of messages between two processes: bytes over the time to send them and get 4 bytes back,
// less the single trip of 4 bytes. K.-P. Wong and C.-L. Wang, "Push-Pull Messaging", 1999, section 3. Prints
// 10^6 bytes a second by size.
#include <mpi.h>
#include <stdlib.h>

#include "measuring.h"

static const char* const usage =
    "usage: pushpull.bandwidth [--iterations N] [--sizes A,B,...] [--output FILE]";

enum { acknowledgement = 4 };

static double sent_and_acknowledged(int rank, char* buffer, int bytes, const struct request* request) {
  double* times = malloc((size_t)request->iterations * sizeof *times);
  for (int i = 0; i < request->iterations; ++i) {
    const double begun = MPI_Wtime();
    if (rank == 0) {
      MPI_Send(buffer, bytes, MPI_BYTE, 1, 2, MPI_COMM_WORLD);
      MPI_Recv(buffer, acknowledgement, MPI_BYTE, 1, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
      MPI_Recv(buffer, bytes, MPI_BYTE, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(buffer, acknowledgement, MPI_BYTE, 0, 2, MPI_COMM_WORLD);
    }
    times[i] = MPI_Wtime() - begun;
  }
  const double mean = middle_mean(times, request->iterations);
  free(times);
  return mean;
}

int main(int argc, char** argv) {
  struct request request = {.iterations = 10, .sizes = {4000, 65536, 1048576}, .size_count = 3};
  const int rank = begin(argc, argv, usage, &request);
  static double megabytes[most_sizes];
  char* buffer = page_aligned_buffer(&request);
  meet(rank);
  const double trip = single_trip(rank, buffer, acknowledgement, &request);
  for (int i = 0; i < request.size_count; ++i) {
    meet(rank);
    const double seconds = sent_and_acknowledged(rank, buffer, request.sizes[i], &request) - trip;
    megabytes[i] = seconds > 0 ? 1e-6 * request.sizes[i] / seconds : 0;
  }
  free(buffer);
  return end(rank, &request, "MB_per_s", megabytes);
}
