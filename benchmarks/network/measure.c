// Measures messages between ranks 0 and 1 for `morgana fit`, over any MPI:
//
//   mpicc -O2 measure.c -o network.measure && mpiexec -n 2 ./network.measure table.txt
//
// A line of the table is a kind of time, the bytes of a message, and microseconds:
//   latency  half a round trip
//   stream   from one message to the next of many, at their receiver
//   send     in the call that starts a send
//   receive  in the call that receives a message which has come
// Each is the least of several batches, as what disturbs a batch only makes it longer.
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
  batches = 10,
  rounds = 20,
  burst = 16,
  longest = 1 << 22,
  longest_single = 1024,  // of what must not wait for its receive
  tag_data = 1,
  tag_mark = 2,
};

static char* buffer;

static double least(double a, double b) {
  return a < b ? a : b;
}

static void say(int peer) {
  MPI_Send(NULL, 0, MPI_BYTE, peer, tag_mark, MPI_COMM_WORLD);
}

static void hear(int peer) {
  MPI_Recv(NULL, 0, MPI_BYTE, peer, tag_mark, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void send(int bytes, int peer) {
  MPI_Send(buffer, bytes, MPI_BYTE, peer, tag_data, MPI_COMM_WORLD);
}

static void receive(int bytes, int peer) {
  MPI_Recv(buffer, bytes, MPI_BYTE, peer, tag_data, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static double latency(int me, int bytes) {
  const double begin = MPI_Wtime();
  for (int i = 0; i < rounds; ++i) {
    if (me == 0) send(bytes, 1);
    receive(bytes, 1 - me);
    if (me == 1) send(bytes, 0);
  }
  return (MPI_Wtime() - begin) / (2 * rounds);
}

/// At the receiver, rank 1, the burst's first message only starts the clock.
static double stream(int me, int bytes) {
  double begin = 0;
  for (int i = 0; i <= burst; ++i) {
    if (me == 0) {
      send(bytes, 1);
    } else {
      receive(bytes, 0);
      if (i == 0) begin = MPI_Wtime();
    }
  }
  const double time = (MPI_Wtime() - begin) / burst;
  if (me == 1) say(0);
  if (me == 0) hear(1);
  return time;
}

static double starting(int me, int bytes) {
  MPI_Request requests[burst];
  MPI_Status statuses[burst];
  double time = 0;
  if (me == 0) {
    const double begin = MPI_Wtime();
    for (int i = 0; i < burst; ++i)
      MPI_Isend(buffer, bytes, MPI_BYTE, 1, tag_data, MPI_COMM_WORLD, &requests[i]);
    time = (MPI_Wtime() - begin) / burst;
    MPI_Waitall(burst, requests, statuses);
    hear(1);
  } else {
    for (int i = 0; i < burst; ++i) receive(bytes, 0);
    say(0);
  }
  return time;
}

/// The mark comes behind the messages.
static double receiving(int me, int bytes) {
  MPI_Request requests[burst + 1];
  MPI_Status statuses[burst + 1];
  double time = 0;
  if (me == 0) {
    for (int i = 0; i < burst; ++i)
      MPI_Isend(buffer, bytes, MPI_BYTE, 1, tag_data, MPI_COMM_WORLD, &requests[i]);
    MPI_Isend(NULL, 0, MPI_BYTE, 1, tag_mark, MPI_COMM_WORLD, &requests[burst]);
    MPI_Waitall(burst + 1, requests, statuses);
    hear(1);
  } else {
    hear(0);
    const double begin = MPI_Wtime();
    for (int i = 0; i < burst; ++i) receive(bytes, 0);
    time = (MPI_Wtime() - begin) / burst;
    say(0);
  }
  return time;
}

/// @param reader  whose clock it is
static void measure(FILE* table, const char* kind, double (*one)(int, int), int me, int bytes, int reader) {
  double best = 1e9;
  for (int i = 0; i < batches; ++i) best = least(best, one(me, bytes));
  if (reader == 1) {
    if (me == 1) MPI_Send(&best, 1, MPI_DOUBLE, 0, tag_mark, MPI_COMM_WORLD);
    if (me == 0) MPI_Recv(&best, 1, MPI_DOUBLE, 1, tag_mark, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
  if (me == 0) fprintf(table, "%-8s %8d %14.6f\n", kind, bytes, best * 1e6);
}

static void measure_all(FILE* table, int me, int bytes) {
  measure(table, "latency", latency, me, bytes, 0);
  measure(table, "stream", stream, me, bytes, 1);
  if (bytes > longest_single) return;
  measure(table, "send", starting, me, bytes, 0);
  measure(table, "receive", receiving, me, bytes, 1);
}

int main(int argc, char** argv) {
  int me, ranks;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &me);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  FILE* table = stdout;
  if (me == 0 && argc > 1) table = fopen(argv[1], "w");
  if (ranks < 2 || table == NULL) {
    if (me == 0) fprintf(stderr, "usage: mpiexec -n 2 network.measure [TABLE]\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  buffer = malloc(longest);
  memset(buffer, 1, longest);
  if (me == 0) fprintf(table, "# network.measure: kind, bytes, us\n");
  if (me < 2) {
    latency(me, 1);  // connections are made by the first messages
    // Powers of two, and what lies half way; steps (eager limits, pages) show best just beyond powers of two.
    for (int bytes = 1; bytes <= longest; bytes *= 2) {
      measure_all(table, me, bytes);
      if (bytes >= 128 && bytes < longest) measure_all(table, me, bytes + 3);
      if (bytes >= 4 && bytes < longest) measure_all(table, me, bytes + bytes / 2);
    }
  }
  if (me == 0 && table != stdout) fclose(table);
  free(buffer);
  MPI_Finalize();
  return 0;
}
