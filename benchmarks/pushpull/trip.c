// The single-trip latency of messages between two processes, by ping-pong: K.-P. Wong and C.-L. Wang,
// "Push-Pull Messaging", 1999, section 3. Prints microseconds by size.
#include <stdlib.h>

#include "measuring.h"

static const char* const usage = "usage: pushpull.trip [--iterations N] [--sizes A,B,...] [--output FILE]";

int main(int argc, char** argv) {
  struct request request = {.iterations = 10, .sizes = {4, 1024, 4096}, .size_count = 3};
  const int rank = begin(argc, argv, usage, &request);
  static double us[most_sizes];
  char* buffer = page_aligned_buffer(&request);
  for (int i = 0; i < request.size_count; ++i) {
    meet(rank);
    us[i] = 1e6 * single_trip(rank, buffer, request.sizes[i], &request);
  }
  free(buffer);
  return end(rank, &request, "us", us);
}
